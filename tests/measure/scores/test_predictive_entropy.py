import math

import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.predictive_entropy import predictive_entropy


def test_by_hand(four_draws: Tensor) -> None:
    # The first input's average is (0.4, 0.35, 0.25); the second's draws are all (1/2, 1/4, 1/4).
    torn = -(0.4 * math.log(0.4) + 0.35 * math.log(0.35) + 0.25 * math.log(0.25))
    assert predictive_entropy(four_draws).tolist() == pytest.approx([torn, 1.5 * math.log(2)], abs=1e-12)


def test_extremes() -> None:
    each_its_own = torch.eye(5, dtype=torch.float64).unsqueeze(1)
    assert predictive_entropy(each_its_own).item() == pytest.approx(math.log(5))
    assert predictive_entropy(each_its_own[:1]).item() == 0
