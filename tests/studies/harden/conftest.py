"""A network that errs on slightly changed inputs, data for it, and a campaign of its errors; seconds of work in all."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.datasets.tensors import tensors


class Halves(nn.Module):
    """Compares the two halves of an image, with weights that let single pixels decide too much."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(16, 2)
        signs = torch.tensor([1.0, 1.0, -1.0, -1.0]).repeat(4)
        drawn = torch.rand(16, generator=torch.Generator().manual_seed(1)) ** 3 * 5
        self.dense.weight.data = torch.stack([signs * drawn, -signs * drawn])
        self.dense.bias.data.zero_()

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.dense(x.flatten(1))
        return logits


def halves(count: int, seed: int) -> Examples:
    """Return images of 4x4 pixels whose left or right half is brighter."""
    drawn = torch.rand(count, 1, 4, 4, generator=torch.Generator().manual_seed(seed)) * 0.5
    labels = torch.arange(count) % 2
    for row, label in enumerate(labels.tolist()):
        drawn[row, :, :, 2 * label : 2 * label + 2] += 0.25
    return tensors(drawn, labels, classes=("left", "right"), name=f"halves {seed}")


@pytest.fixture
def network() -> nn.Module:
    return Halves().eval()


@pytest.fixture
def data() -> Examples:
    return halves(160, 3)


@pytest.fixture
def campaign(network: nn.Module, data: Examples, tmp_path: Path) -> Campaign:
    """Return what PGD finds from forty of the inputs."""
    return hunt(network, data, "pgd:steps=4", str(tmp_path / "hunt"), region="linf:0.1", inputs=40)
