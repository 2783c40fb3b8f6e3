"""What is asked of every score."""

import inspect
import json

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe, names
from unnerve.core.methods import Score, evidence
from unnerve.core.streams import Streams


def given(score: Score, rows: list[int]) -> list[Tensor]:
    """Return the evidence a score asks for, of some of ten inputs."""
    streams = Streams(0, map(str, range(10)))
    logits = streams.normal(0, 0, (6,)).mul(3)
    # So many draws that even shares of them differ between ten inputs.
    draws = (logits.unsqueeze(1) + streams.normal(0, 1, (400, 6)).mul(2)).softmax(dim=2)
    found = {"probabilities": logits.softmax(dim=1), "draws": draws, "uniform": streams.uniform(0, 0, ())}
    chosen = {name: value[rows] for name, value in found.items()}
    return [chosen[name].transpose(0, 1) if name == "draws" else chosen[name] for name in evidence(score)]


@pytest.fixture(params=names("score"))
def score(request: pytest.FixtureRequest) -> Score:
    method: Score = build("score", request.param)
    return method


def test_asks_for_known_evidence(score: Score) -> None:
    assert set(evidence(score)) <= {"probabilities", "uniform", "draws"}
    assert not any(one.default is not one.empty for one in inspect.signature(score).parameters.values())


def test_one_finite_number_for_each_input(score: Score) -> None:
    values = score(*given(score, list(range(10))))
    assert values.shape == (10,)
    assert bool(torch.isfinite(values).all())
    assert len(values.unique()) == 10


def test_works_for_a_single_input_and_is_the_same_in_company(score: Score) -> None:
    together = score(*given(score, list(range(10))))
    for row in range(10):
        assert torch.allclose(score(*given(score, [row])), together[row : row + 1], rtol=0, atol=1e-7)
    assert torch.allclose(score(*given(score, [7, 2, 5])), together[[7, 2, 5]], rtol=0, atol=1e-7)


def test_returns_something_of_its_own_and_leaves_the_evidence(score: Score) -> None:
    evidence_given = given(score, list(range(10)))
    before = [tensor.clone() for tensor in evidence_given]
    score(*evidence_given).fill_(9)
    assert all(torch.equal(old, new) for old, new in zip(before, evidence_given, strict=True))


@pytest.mark.usefixtures("random_state_stays")
def test_draws_nothing_itself(score: Score) -> None:
    first, second = score(*given(score, [1, 2])), score(*given(score, [1, 2]))
    assert torch.equal(first, second)


def test_survives_json(score: Score) -> None:
    assert build("score", json.loads(json.dumps(describe(score)))) is score
