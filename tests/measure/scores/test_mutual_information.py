import math

import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.mutual_information import mutual_information


def test_by_hand(four_draws: Tensor) -> None:
    entropy = -(0.4 * math.log(0.4) + 0.35 * math.log(0.35) + 0.25 * math.log(0.25))
    # Draws 1 and 2 have the entropy of (0.8, 0.2), draw 3 that of (0.6, 0.4), draw 4 none.
    unsure = -(2 * (0.8 * math.log(0.8) + 0.2 * math.log(0.2)) + 0.6 * math.log(0.6) + 0.4 * math.log(0.4)) / 4
    assert mutual_information(four_draws).tolist() == pytest.approx([entropy - unsure, 0], abs=1e-12)


def test_draws_that_are_sure_of_different_classes_know_most() -> None:
    sure = torch.eye(5, dtype=torch.float64).unsqueeze(1)
    assert mutual_information(sure).item() == pytest.approx(math.log(5))


def test_rounding_never_makes_it_negative() -> None:
    rows = torch.rand(1, 2000, 7).softmax(dim=-1).expand(9, 2000, 7)
    assert bool((mutual_information(rows) >= 0).all())
