import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.memory import ALLOCATOR, Greedy
from unnerve.core.errors import InvalidModel
from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule


def test_neurons_are_watched_again_after_memory_ran_out(small_images: Tensor) -> None:
    net, x = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), nn.ReLU(), Greedy(20, ALLOCATOR)), small_images
    with torch.no_grad():
        hidden = net[:3](x)
    model = TorchModule(net, outputs="logits", neurons="2")
    with pytest.warns(UserWarning, match="memory ran out"):
        assert torch.allclose(model.observe(x, Want.RANGES).neurons, hidden, atol=1e-6)
    _, _, seen = model.gradient(x, lambda seen, _: seen.neurons.sum(dim=1), torch.zeros(40), Want.RANGES)
    assert torch.allclose(seen.ranges[:, 0, 1], hidden.amax(dim=1), atol=1e-6)


def test_memory_that_runs_out_while_neurons_are_found_is_said(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), Greedy(2, ALLOCATOR))
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        TorchModule(net, "greedy", outputs="logits").observe(small_images, Want.NEURONS)
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        TorchModule(net, "greedy", outputs="logits").neuron_map(small_images)
