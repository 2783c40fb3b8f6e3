import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.pd import pd


def test_the_papers_vectors_by_hand(nsatp_vectors: Tensor) -> None:
    first = (0.81 - 0.18) / 1 + (0.18 - 0.01) / 2 + 0.01 / 3
    second = (0.95 - 0.03) / 1 + (0.03 - 0.01) / 2 + 0 / 3 + 0.01 / 4
    assert (-pd(nsatp_vectors)).tolist() == pytest.approx([first, second], abs=1e-12)
    assert (-pd(nsatp_vectors)).tolist() == pytest.approx([0.7183333, 0.9325], abs=1e-6)


def test_the_paper_finds_its_first_picture_more_suspect(nsatp_vectors: Tensor) -> None:
    assert pd(nsatp_vectors).argsort(descending=True).tolist() == [0, 1]


def test_extremes(extremes: Tensor) -> None:
    assert pd(extremes).tolist() == [-1, 0]


def test_later_differences_weigh_less() -> None:
    near, far = torch.tensor([[0.5, 0.3, 0.2]]), torch.tensor([[0.5, 0.4, 0.1]])
    assert (-pd(near)).item() == pytest.approx(0.2 + 0.1 / 2)
    assert (-pd(far)).item() == pytest.approx(0.1 + 0.3 / 2)
    assert pd(near).equal(pd(far)), "0.25 both: the gap moved from weight 1 to weight 1/2"


def test_orders_by_the_gap_at_the_top() -> None:
    probabilities = torch.tensor([[0.9, 0.1, 0.0], [0.5, 0.5, 0.0], [0.7, 0.3, 0.0], [0.4, 0.3, 0.3]])
    assert pd(probabilities).argsort(descending=True).tolist() == [3, 1, 2, 0]
