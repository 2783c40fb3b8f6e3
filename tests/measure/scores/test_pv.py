import pytest
from torch import Tensor

from unnerve.measure.scores.pv import pv


def test_the_papers_vectors(nsatp_vectors: Tensor) -> None:
    assert [round(value, 2) for value in (-pv(nsatp_vectors)).tolist()] == [0.59, 0.80]


def test_by_hand(nsatp_vectors: Tensor) -> None:
    first = 7 * 0.1**2 + (0.18 - 0.1) ** 2 + (0.81 - 0.1) ** 2 + (0.01 - 0.1) ** 2
    second = 6 * 0.1**2 + (0.95 - 0.1) ** 2 + 2 * (0.01 - 0.1) ** 2 + (0.03 - 0.1) ** 2
    assert (-pv(nsatp_vectors)).tolist() == pytest.approx([first, second], abs=1e-12)


def test_extremes(extremes: Tensor) -> None:
    assert pv(extremes).tolist() == [1 / 4 - 1, 0]
