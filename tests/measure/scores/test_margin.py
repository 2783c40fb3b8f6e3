import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.margin import margin


def test_one_minus_pcs_of_the_papers_vectors(nsatp_vectors: Tensor) -> None:
    assert margin(nsatp_vectors).tolist() == pytest.approx([0.37, 0.08], abs=1e-12)
    assert (1 - margin(nsatp_vectors)).tolist() == pytest.approx([0.63, 0.92], abs=1e-12)


def test_extremes(extremes: Tensor) -> None:
    assert margin(extremes).tolist() == [0, 1]


def test_two_equal_at_the_top_are_most_suspect() -> None:
    assert margin(torch.tensor([[0.5, 0.0, 0.5]])).item() == 1


def test_sure_answers_keep_their_digits() -> None:
    small = torch.logspace(-30, -17, 27, dtype=torch.float64)
    rows = torch.stack([small, 1 - small, 0 * small], dim=1)
    assert torch.allclose(margin(rows), 2 * small, rtol=1e-14, atol=0)
