"""What holds for every score of dropout draws, whatever they are."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from unnerve.core.methods import evidence
from unnerve.core.naming.catalogue import find, names
from unnerve.measure.scores.mutual_information import mutual_information
from unnerve.measure.scores.pe import pe
from unnerve.measure.scores.predictive_entropy import predictive_entropy
from unnerve.measure.scores.vr import vr
from unnerve.measure.scores.vro import vro

RANGES: dict[str, Callable[[int], tuple[float, float]]] = {
    "mutual_information": lambda classes: (0, math.log(classes)),
    "predictive_entropy": lambda classes: (0, math.log(classes)),
    "vr": lambda classes: (0, 1 - 1 / classes),
    "vro": lambda classes: (0, 1),
}
of_draws = pytest.mark.parametrize("name", sorted(RANGES))


@st.composite
def samples(draw: st.DrawFn) -> Tensor:
    """Draw (T, N, C); the last of the T stands for the answer without dropout."""
    shape = draw(st.tuples(st.integers(2, 6), st.integers(1, 4), st.integers(2, 7)))
    raw = draw(arrays(np.float64, shape, elements=st.floats(0, 1)))
    raw[raw.sum(axis=2) < 1e-6, 0] = 1
    return torch.from_numpy(raw / raw.sum(axis=2, keepdims=True))


def scored(name: str, samples: Tensor) -> Tensor:
    known = {"draws": samples[:-1], "probabilities": samples[-1]}
    score = find("score", name)
    values: Tensor = score(*(known[one] for one in evidence(score)))
    return values


def test_every_score_is_here() -> None:
    assert {name for name in names("score") if "draws" in evidence(find("score", name))} == set(RANGES)


@of_draws
@given(samples=samples())
@settings(max_examples=40)
def test_range(name: str, samples: Tensor) -> None:
    low, high = RANGES[name](samples.shape[2])
    values = scored(name, samples)
    assert bool(((values >= low - 1e-12) & (values <= high + 1e-12)).all())


@of_draws
@given(samples=samples(), data=st.data())
@settings(max_examples=30)
def test_draws_have_no_order_and_rows_do_not_know_each_other(name: str, samples: Tensor, data: Any) -> None:
    order = data.draw(st.permutations(range(len(samples) - 1)))
    shuffled = torch.cat([samples[:-1][order], samples[-1:]])
    assert torch.allclose(scored(name, shuffled), scored(name, samples), rtol=0, atol=1e-12)
    assert torch.allclose(scored(name, samples[:, :1]), scored(name, samples)[:1], rtol=0, atol=1e-12)


@given(samples=samples())
@settings(max_examples=40)
def test_vro_is_never_below_vr(samples: Tensor) -> None:
    assert bool((vro(samples[:-1], samples[-1]) >= vr(samples[:-1]) - 1e-12).all())


@given(samples=samples())
@settings(max_examples=40)
def test_entropy_is_what_draws_disagree_on_and_what_each_is_unsure_of(samples: Tensor) -> None:
    within = pe(samples).mean(dim=0)
    assert torch.allclose(predictive_entropy(samples), mutual_information(samples) + within, rtol=0, atol=1e-9)
