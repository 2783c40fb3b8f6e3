from pathlib import Path

import pytest
import torch

from unnerve.core.model import Want
from unnerve.studies.train import accuracy
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.zoo.resnet32 import resnet32


def test_has_the_papers_parameters() -> None:
    net = resnet32()
    assert sum(parameter.numel() for parameter in net.parameters()) == 464_154
    assert TorchModule(net).observe(torch.rand(2, 3, 32, 32), Want.NEURONS).neurons.shape[0] == 2
    assert resnet32(channels=1, classes=7)(torch.rand(2, 1, 28, 28)).shape == (2, 7)


@pytest.mark.data
@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.soak)])
def test_real_weights_without_further_options(real_data: Path, count: int) -> None:
    subject = model("zoo:resnet32", weights=real_data / "weights" / "cifar10_resnet32.pt")
    assert isinstance(subject, TorchModule)
    data = examples(f"cifar10:{real_data / 'cifar10'}", split="test", limit=count)
    found = accuracy(subject.module, data)
    assert found == pytest.approx(0.9263, abs=2e-4) if count == 10_000 else found > 0.9
