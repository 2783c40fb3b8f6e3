import pytest
import torch
from torch import Tensor, nn

from unnerve.core.model import Want
from unnerve.core.wrappers.transformed import Transformed
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model

CLEAN = torch.rand(7, 1, 28, 28, generator=torch.Generator().manual_seed(0))
OWNERS = torch.arange(300) % 7
CHANGED = (CLEAN[OWNERS] + 0.1 * torch.rand(300, 1, 28, 28, generator=torch.Generator().manual_seed(1))).clamp(0, 1)


@pytest.fixture
def lenet() -> TorchModule:
    taken = model("zoo:lenet5")
    assert isinstance(taken, TorchModule)
    return taken


def test_moves_are_differences_of_the_neurons(lenet: TorchModule) -> None:
    moves, extent = lenet.layer_moves(CHANGED, CLEAN, OWNERS)
    now, before = (lenet.observe(x, Want.NEURONS).neurons for x in (CHANGED, CLEAN))
    layers = lenet.neuron_map(CLEAN).layers
    assert torch.allclose(moves, now - before[OWNERS], atol=1e-5)
    assert extent.shape == (300, len(layers), 2)
    for number, layer in enumerate(layers):
        inside = moves[:, layer.columns]
        assert bool((inside >= extent[:, number, :1] - 1e-5).all()), layer.name
        assert bool((inside <= extent[:, number, 1:] + 1e-5).all()), layer.name


def test_ends_are_those_of_whole_maps(lenet: TorchModule) -> None:
    _, extent = lenet.layer_moves(CHANGED, CLEAN, OWNERS)
    first = nn.Sequential(lenet.module.get_submodule("conv1"), nn.ReLU())
    with torch.no_grad():
        apart = (first(CHANGED) - first(CLEAN)[OWNERS]).flatten(1)
    assert torch.allclose(extent[:, 0], torch.stack([apart.amin(dim=1), apart.amax(dim=1)], dim=1), atol=1e-5)


def test_the_same_alone_and_in_company(lenet: TorchModule) -> None:
    together = lenet.layer_moves(CHANGED, CLEAN, OWNERS)
    alone = lenet.layer_moves(CHANGED[5:6], CLEAN[5:6], torch.tensor([0]))
    for whole, one in zip(together, alone, strict=True):
        assert torch.allclose(whole[5:6], one, atol=1e-6)


class Windows(nn.Module):
    """Cuts each input into two windows, and has a layer with the inputs on the second axis."""

    def __init__(self) -> None:
        super().__init__()
        self.dense, self.across, self.last = nn.Linear(4, 3), nn.Identity(), nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        windows = self.dense(x.view(-1, 4))
        turned = self.across(windows.view(len(x), 6).T)
        answer: Tensor = self.last(turned.T)
        return answer


def test_windows_and_other_axes() -> None:
    subject = TorchModule(Windows(), outputs="logits")
    clean = torch.rand(3, 8)
    owners = torch.tensor([2, 0, 2, 1, 1])
    changed = clean[owners] + 0.1 * torch.rand(5, 8)
    moves, _ = subject.layer_moves(changed, clean, owners)
    now, before = (subject.observe(x, Want.NEURONS).neurons for x in (changed, clean))
    assert torch.allclose(moves, now - before[owners], atol=1e-6)


def test_behind_a_transform(lenet: TorchModule) -> None:
    half = Transformed(lenet, lambda x: x / 2, "half")
    expected = lenet.layer_moves(CHANGED / 2, CLEAN / 2, OWNERS)
    for found, wanted in zip(half.layer_moves(CHANGED, CLEAN, OWNERS), expected, strict=True):
        assert torch.equal(found, wanted)
