"""The two probability vectors of NSATP's motivating example, II-B."""

import pytest
import torch
from torch import Tensor


@pytest.fixture
def nsatp_vectors() -> Tensor:
    return torch.tensor(
        [
            [0, 0, 0, 0.18, 0.81, 0, 0, 0, 0.01, 0],
            [0, 0, 0, 0, 0.95, 0.01, 0, 0, 0.01, 0.03],
        ],
        dtype=torch.float64,
    )


@pytest.fixture
def extremes() -> Tensor:
    """Return a one-hot and a uniform distribution over four classes."""
    return torch.tensor([[0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25]], dtype=torch.float64)
