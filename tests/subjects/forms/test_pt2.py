from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.model import Capability
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.models import model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [None, 1, 4])
def test_exported_programs(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path, batch: int | None) -> None:
    path = tmp_path / "net.pt2"
    shapes = ({0: torch.export.Dim("batch")},) if batch is None else None
    torch.export.save(torch.export.export(tiny_net, (small_images[: batch or 2],), dynamic_shapes=shapes), path)
    taken = model(path)
    assert isinstance(taken, TorchModule)
    assert taken.offers == Capability.GRADIENTS | Capability.NEURONS
    for count in (1, 40):
        expected = model(tiny_net).observe(small_images[:count]).logits
        assert torch.allclose(taken.observe(small_images[:count]).logits, expected, atol=1e-6)
    assert [layer.name for layer in taken.neuron_map(small_images).layers] == ["0", "1", "2", "4"]
    note = "" if batch is None else f", exported for {batch} inputs, run with any number"
    assert taken.declared.form == f"program of torch.export{note}"
    assert taken.declared.shape == (1, 8, 8)


@pytest.mark.filterwarnings("ignore")
def test_dropout_can_be_put_in(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(tiny_net, (small_images[:1],)), path)
    assert with_dropout(path, 0.3).dropout_points(small_images) == with_dropout(tiny_net, 0.3).dropout_points(
        small_images
    )
