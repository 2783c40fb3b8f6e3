"""LeNet-5 with random weights, and something like digits."""

import pytest
import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.lenet5 import lenet5


@pytest.fixture(scope="session")
def lenet5_random() -> TorchModule:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return TorchModule(lenet5())


@pytest.fixture(scope="session")
def digits40() -> Tensor:
    return Streams(0, map(str, range(40))).uniform(0, 0, (1, 28, 28))
