import math

import pytest
import torch
from scipy.stats import entropy
from torch import Tensor

from unnerve.measure.scores.pe import pe


def test_the_papers_vectors_in_nats(nsatp_vectors: Tensor) -> None:
    first = -(0.18 * math.log(0.18) + 0.81 * math.log(0.81) + 0.01 * math.log(0.01))
    second = -(0.95 * math.log(0.95) + 2 * 0.01 * math.log(0.01) + 0.03 * math.log(0.03))
    assert pe(nsatp_vectors).tolist() == pytest.approx([first, second], abs=1e-12)


def test_agrees_with_scipy() -> None:
    probabilities = torch.rand(50, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).softmax(dim=1)
    probabilities[0, :6], probabilities[0, 6] = 0, 1
    assert pe(probabilities).tolist() == pytest.approx(entropy(probabilities.numpy(), axis=1).tolist(), abs=1e-12)


def test_extremes(extremes: Tensor) -> None:
    assert pe(extremes).tolist() == pytest.approx([0, math.log(4)])
