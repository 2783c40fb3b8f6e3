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


@pytest.fixture
def four_draws() -> Tensor:
    """Return four draws for two inputs over three classes; the first input is torn, the second is calm."""
    torn = [[0.8, 0.2, 0.0], [0.2, 0.8, 0.0], [0.6, 0.4, 0.0], [0.0, 0.0, 1.0]]
    calm = [[0.5, 0.25, 0.25]] * 4
    return torch.tensor([torn, calm], dtype=torch.float64).transpose(0, 1)
