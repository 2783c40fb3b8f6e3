"""What is asked of every score."""

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from unnerve.core.methods import EVIDENCE, Score, evidence
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.testing.promises import about, promise, promise_json, random_state_stays

__all__ = ["check_score"]

_INPUTS = range(10)


def check_score(score: Score | str) -> None:
    """Raise an AssertionError that says what a score promises and does not keep.

    Parameters
    ----------
    score : Score or str
        The function, or its name.

    Examples
    --------
    >>> from unnerve.testing.scores import check_score
    >>> check_score("my_scores.py:steepness")
    """
    method: Score = build("score", score)
    with about(str(describe(method)["name"])):
        for check in _CHECKS:
            check(method)


def _asks_for_known_evidence(score: Score) -> None:
    parameters = inspect.signature(score).parameters
    unknown = [name for name in parameters if name not in EVIDENCE]
    promise(not unknown, f"its parameters must name evidence ({', '.join(EVIDENCE)}), got {', '.join(unknown)}")
    promise(all(one.default is one.empty for one in parameters.values()), "its parameters must have no defaults")


def _one_finite_number_for_each_input(score: Score) -> None:
    values = score(*_given(score, _INPUTS))
    promise(values.shape == (10,), f"it must return one number for each of 10 inputs, got shape {tuple(values.shape)}")
    promise(torch.isfinite(values).all(), "its values must be finite")
    # A constant would pass all other checks.
    promise(len(values.unique()) == 10, "ten different inputs must have ten different values")


def _the_same_alone_and_in_company(score: Score) -> None:
    together = score(*_given(score, _INPUTS))
    for row in _INPUTS:
        same = torch.allclose(score(*_given(score, [row])), together[row : row + 1], rtol=0, atol=1e-7)
        promise(same, f"an input must have the same value alone and in company; input {row} has not")
    same = torch.allclose(score(*_given(score, [7, 2, 5])), together[[7, 2, 5]], rtol=0, atol=1e-7)
    promise(same, "values must not depend on the order of the inputs")


def _leaves_the_evidence(score: Score) -> None:
    given = _given(score, _INPUTS)
    tensors = [one for one in given if isinstance(one, Tensor)]
    before = [tensor.clone() for tensor in tensors]
    score(*given).fill_(9)
    same = all(torch.equal(old, new) for old, new in zip(before, tensors, strict=True))
    promise(same, "it must return a tensor of its own and leave the evidence as it was")


def _draws_nothing_itself(score: Score) -> None:
    with random_state_stays():
        first, second = score(*_given(score, [1, 2])), score(*_given(score, [1, 2]))
    promise(torch.equal(first, second), "the same evidence must give the same values")


def _survives_json(score: Score) -> None:
    promise_json("score", score)


_CHECKS = (
    _asks_for_known_evidence,
    _one_finite_number_for_each_input,
    _the_same_alone_and_in_company,
    _leaves_the_evidence,
    _draws_nothing_itself,
    _survives_json,
)


def _given(score: Score, rows: Sequence[int]) -> list[Any]:
    """Return the evidence a score asks for, of some of ten inputs."""
    streams = Streams(0, map(str, _INPUTS))
    logits = streams.normal(0, 0, (6,)).mul(3)
    # So many draws that even shares of them differ between ten inputs.
    draws = (logits.unsqueeze(1) + streams.normal(0, 1, (400, 6)).mul(2)).softmax(dim=2)
    found = {"probabilities": logits.double().softmax(dim=1), "draws": draws, "uniform": streams.uniform(0, 0, ())}
    found |= {"logits": logits, "predicted": torch.arange(10) % 3, "neurons": streams.normal(0, 2, (4,))}
    chosen: dict[str, Any] = {name: value[list(rows)] for name, value in found.items()}
    # Streams give (N, T, C), since rows are inputs there; scores take (T, N, C).
    chosen["draws"] = chosen["draws"].transpose(0, 1)
    chosen["traces"] = Traces(Streams(0, map(str, range(60))).normal(0, 3, (4,)), torch.arange(60) % 3)
    return [chosen[name] for name in evidence(score)]
