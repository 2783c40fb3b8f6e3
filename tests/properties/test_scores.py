"""What holds for every score of class probabilities, whatever they are."""

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
from unnerve.measure.scores.gini import gini
from unnerve.measure.scores.pv import pv

RANGES: dict[str, Callable[[int], tuple[float, float]]] = {
    "gini": lambda classes: (0, 1 - 1 / classes),
    "margin": lambda classes: (0, 1),
    "max_probability": lambda classes: (0, 1 - 1 / classes),
    "pd": lambda classes: (-1, 0),
    "pe": lambda classes: (0, math.log(classes)),
    "pv": lambda classes: (1 / classes - 1, 0),
}
of_probabilities = pytest.mark.parametrize("name", sorted(RANGES))


@st.composite
def probabilities(draw: st.DrawFn) -> Tensor:
    shape = draw(st.tuples(st.integers(1, 5), st.integers(2, 11)))
    raw = draw(arrays(np.float64, shape, elements=st.floats(0, 1)))
    raw[raw.sum(axis=1) < 1e-6, 0] = 1
    return torch.from_numpy(raw / raw.sum(axis=1, keepdims=True))


def test_every_score_is_here() -> None:
    of_one_pass = {name for name in names("score") if evidence(find("score", name)) == ("probabilities",)}
    assert of_one_pass == set(RANGES)


@of_probabilities
@given(rows=probabilities())
@settings(max_examples=60)
def test_range(name: str, rows: Tensor) -> None:
    low, high = RANGES[name](rows.shape[1])
    values = find("score", name)(rows)
    assert bool(((values >= low - 1e-12) & (values <= high + 1e-12)).all())


@of_probabilities
@given(rows=probabilities(), data=st.data())
@settings(max_examples=40)
def test_rows_do_not_know_each_other(name: str, rows: Tensor, data: Any) -> None:
    order = data.draw(st.permutations(range(len(rows))))
    score = find("score", name)
    assert torch.allclose(score(rows[order]), score(rows)[order], rtol=0, atol=1e-12)
    assert torch.allclose(score(rows[:1]), score(rows)[:1], rtol=0, atol=1e-12)


@of_probabilities
@given(rows=probabilities(), data=st.data())
@settings(max_examples=40)
def test_classes_have_no_order(name: str, rows: Tensor, data: Any) -> None:
    order = data.draw(st.permutations(range(rows.shape[1])))
    score = find("score", name)
    assert torch.allclose(score(rows[:, order]), score(rows), rtol=0, atol=1e-12)


@of_probabilities
@given(st.integers(2, 11))
@settings(max_examples=10)
def test_one_hot_is_least_and_uniform_most_suspect(name: str, classes: int) -> None:
    score, (low, high) = find("score", name), RANGES[name](classes)
    assert score(torch.eye(classes, dtype=torch.float64)).tolist() == pytest.approx([low] * classes, abs=1e-12)
    assert score(torch.full((1, classes), 1 / classes, dtype=torch.float64)).item() == pytest.approx(high, abs=1e-12)


@of_probabilities
@given(rows=probabilities(), share=st.floats(0.05, 0.95))
@settings(max_examples=40)
def test_mixing_with_uniform_never_looks_safer(name: str, rows: Tensor, share: float) -> None:
    score = find("score", name)
    mixed = (1 - share) * rows + share / rows.shape[1]
    assert bool((score(mixed) >= score(rows) - 1e-9).all())


@given(rows=probabilities())
@settings(max_examples=60)
def test_pv_and_gini_order_alike(rows: Tensor) -> None:
    apart = gini(rows) - pv(rows)
    assert torch.allclose(apart, torch.full_like(apart, 1 - 1 / rows.shape[1]), rtol=0, atol=1e-12)


@given(arrays(np.float32, (12, 5), elements=st.floats(-60, 60, width=32)))
@settings(max_examples=60)
def test_pv_never_contradicts_gini_however_sure_the_answers_are(logits: np.ndarray) -> None:
    rows = torch.from_numpy(logits).double().softmax(dim=1)
    in_order = pv(rows)[gini(rows).argsort(descending=True)]
    assert bool((in_order.diff() <= 0).all())
