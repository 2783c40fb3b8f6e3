from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Capability
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


@pytest.mark.filterwarnings("ignore")
def test_exported_programs(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    batch = torch.export.Dim("batch")
    torch.export.save(torch.export.export(tiny_net, (small_images[:4],), dynamic_shapes=({0: batch},)), path)
    taken = model(path)
    assert isinstance(taken, TorchModule)
    assert taken.offers == Capability.GRADIENTS
    with pytest.raises(InvalidModel, match="layers of an exported program cannot be watched"):
        taken.neuron_map(small_images)
    for count in (1, 40):
        expected = model(tiny_net).observe(small_images[:count]).logits
        assert torch.allclose(taken.observe(small_images[:count]).logits, expected, atol=1e-6)
    _, gradients, _ = taken.gradient(small_images, lambda seen, _: seen.logits[:, 0], torch.zeros(40))
    assert bool(gradients.any())


@pytest.mark.filterwarnings("ignore")
def test_a_program_exported_for_one_batch_size_says_so(
    tiny_net: nn.Module, small_images: Tensor, tmp_path: Path
) -> None:
    torch.export.save(torch.export.export(tiny_net, (small_images[:1],)), tmp_path / "net.pt2")
    with pytest.raises(InvalidModel, match=r"net\.pt2 raised .* on inputs of shape \(2, 1, 8, 8\): .*1"):
        model(tmp_path / "net.pt2").observe(small_images)
