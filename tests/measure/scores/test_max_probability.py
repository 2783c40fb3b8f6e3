import pytest
from torch import Tensor

from unnerve.measure.scores.max_probability import max_probability


def test_the_papers_vectors(nsatp_vectors: Tensor) -> None:
    assert max_probability(nsatp_vectors).tolist() == pytest.approx([0.19, 0.05], abs=1e-12)


def test_extremes(extremes: Tensor) -> None:
    assert max_probability(extremes).tolist() == [0, 1 - 1 / 4]
