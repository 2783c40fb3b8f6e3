from typing import cast

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.subjects.adapters.dropout.networks import NETWORKS
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule

IDS = tuple(map(str, range(40)))


class Hidden(nn.Module):
    """Has dropout only in training mode."""

    def forward(self, x: Tensor) -> Tensor:
        x = x.flatten(1)[:, :4] - 0.5
        return functional.dropout(x, 0.5) if self.training else x


@pytest.mark.parametrize("net", [nn.Sequential(nn.Flatten(), nn.Linear(64, 3)), Hidden()])
def test_a_network_without_dropout_says_what_to_do(net: nn.Module, small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match=r"net has no dropout that draws could use .*: `dropout` RATE, in Python"):
        TorchModule(net, "net", "logits").samples(small_images, Masks(0, IDS))


# Programs


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_scripted_programs_are_refused(small_images: Tensor) -> None:
    with torch.no_grad():
        traced = torch.jit.trace(NETWORKS["sequence1"]().eval(), small_images)
    model = TorchModule(nn.Sequential(traced), "net", dropout=Dropout(0.5))
    assert Capability.DROPOUT not in TorchModule(traced).offers
    with pytest.raises(InvalidModel, match="net: the dropout of a TorchScript program cannot be reached"):
        model.samples(small_images, Masks(0, IDS))


def test_exported_programs_have_their_dropout(small_images: Tensor) -> None:
    net, masks = NETWORKS["sequence1"]().eval(), Masks(0, IDS, draws=3)
    rows = torch.export.Dim("rows", min=2)
    exported = torch.export.export(net, (small_images,), dynamic_shapes=({0: rows},)).module()
    assert Capability.DROPOUT in TorchModule(exported).offers
    ours = TorchModule(exported).samples(small_images, masks)
    assert torch.allclose(ours, TorchModule(net).samples(small_images, masks), atol=1e-6)
    with pytest.raises(InvalidModel, match="dropout cannot be put into an exported program"):
        TorchModule(exported, dropout=Dropout(0.5, ("0",))).samples(small_images, masks)


def test_compiled_modules_run_call_by_call(small_images: Tensor) -> None:
    net, masks = NETWORKS["residual"](), Masks(0, IDS, draws=3)
    expected = TorchModule(net).samples(small_images, masks)
    compiled = TorchModule(cast(nn.Module, torch.compile(net, backend="eager")))
    assert Capability.DROPOUT in compiled.offers
    assert torch.equal(compiled.samples(small_images, masks), expected)
    net.compile(backend="eager")
    assert torch.equal(TorchModule(net).samples(small_images, masks), expected)
