import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from unnerve.core.errors import InvalidData
from unnerve.measure.curves.auroc import auroc

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=30)


def test_by_hand() -> None:
    # Of the six pairs 3>1, 3>2, 2>1, 1<2 and two ties: (3 + 2 / 2) / 6.
    assert auroc(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([1.0, 2.0])) == pytest.approx(4 / 6)


@pytest.mark.parametrize(("suspect", "ordinary", "area"), [([2, 3], [0, 1], 1), ([0], [1, 2], 0), ([1, 1], [1], 0.5)])
def test_extremes(suspect: list[float], ordinary: list[float], area: float) -> None:
    assert auroc(torch.tensor(suspect), torch.tensor(ordinary)) == area


@given(SCORES, SCORES)
def test_agrees_with_scikit_learn(suspect: list[int], ordinary: list[int]) -> None:
    theirs = roc_auc_score([1] * len(suspect) + [0] * len(ordinary), suspect + ordinary)
    assert auroc(torch.tensor(suspect), torch.tensor(ordinary)) == pytest.approx(theirs)


@given(SCORES, SCORES)
def test_the_other_way_round_is_the_complement(suspect: list[int], ordinary: list[int]) -> None:
    there, back = (torch.tensor(some) for some in (suspect, ordinary))
    assert auroc(there, back) + auroc(back, there) == pytest.approx(1)


def test_nothing_to_tell_apart() -> None:
    assert math.isnan(auroc(torch.empty(0), torch.ones(3)))
    assert math.isnan(auroc(torch.ones(3), torch.empty(0)))


@pytest.mark.parametrize("suspect", [[1.0, math.nan], [math.nan]])
def test_nan_is_refused(suspect: list[float]) -> None:
    with pytest.raises(InvalidData, match=f"suspect scores must be numbers, got NaN in 1 of {len(suspect)}"):
        auroc(torch.tensor(suspect), torch.ones(3))
    with pytest.raises(InvalidData, match="ordinary scores must be numbers, got NaN"):
        auroc(torch.ones(3), torch.tensor(suspect))


def test_infinite_scores_are_ordered_like_others() -> None:
    assert auroc(torch.tensor([math.inf, 1.0]), torch.tensor([-math.inf, 2.0])) == pytest.approx(3 / 4)
