import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.vr import vr


def test_by_hand(four_draws: Tensor) -> None:
    # Votes 0, 1, 0, 2: the most frequent class has half of them.
    assert vr(four_draws).tolist() == [0.5, 0]


def test_extremes() -> None:
    each_its_own = torch.eye(5, dtype=torch.float64).unsqueeze(1)
    assert vr(each_its_own).item() == pytest.approx(1 - 1 / 5)
    assert vr(each_its_own[:1]).item() == 0


def test_only_the_winner_of_a_draw_counts() -> None:
    draws = torch.tensor([[[0.51, 0.49]], [[0.99, 0.01]], [[0.0, 1.0]]])
    assert vr(draws).item() == pytest.approx(1 / 3)
