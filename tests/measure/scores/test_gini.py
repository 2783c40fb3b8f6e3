import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.gini import gini


def test_by_hand(nsatp_vectors: Tensor) -> None:
    first = 1 - (0.18**2 + 0.81**2 + 0.01**2)
    second = 1 - (0.95**2 + 2 * 0.01**2 + 0.03**2)
    assert gini(nsatp_vectors).tolist() == pytest.approx([first, second], abs=1e-12)
    assert gini(nsatp_vectors).tolist() == pytest.approx([0.3114, 0.0964], abs=1e-9)


def test_extremes(extremes: Tensor) -> None:
    assert gini(extremes).tolist() == [0, 1 - 1 / 4]


def test_sure_answers_keep_their_digits() -> None:
    small = torch.logspace(-30, -17, 27, dtype=torch.float64)
    rows = torch.stack([small, 1 - small, 0 * small], dim=1)
    assert torch.allclose(gini(rows), 2 * small, rtol=1e-14, atol=0)
