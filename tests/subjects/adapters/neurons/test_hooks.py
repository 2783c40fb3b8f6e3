import torch
from torch import Tensor, nn

from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule


def test_compiled_modules_keep_their_layers(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    module = torch.compile(tiny_net, backend="eager")
    assert isinstance(module, nn.Module)
    compiled = TorchModule(module)
    compiled.observe(small_images)
    seen = compiled.observe(small_images, Want.NEURONS)
    plain = TorchModule(tiny_net)
    assert compiled.neuron_map(small_images) == plain.neuron_map(small_images)
    assert torch.equal(seen.neurons, plain.observe(small_images, Want.NEURONS).neurons)
