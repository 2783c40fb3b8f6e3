import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.max_probability import max_probability


def test_the_papers_vectors(nsatp_vectors: Tensor) -> None:
    assert max_probability(nsatp_vectors).tolist() == pytest.approx([0.19, 0.05], abs=1e-12)


def test_extremes(extremes: Tensor) -> None:
    assert max_probability(extremes).tolist() == [0, 1 - 1 / 4]


def test_sure_answers_keep_their_digits() -> None:
    small = torch.logspace(-30, -17, 27, dtype=torch.float64)
    rows = torch.stack([small, 1 - small, 0 * small], dim=1)
    assert torch.allclose(max_probability(rows), small, rtol=1e-14, atol=0)
