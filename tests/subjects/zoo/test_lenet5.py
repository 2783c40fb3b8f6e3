import torch

from unnerve.core.model import Want
from unnerve.core.streams import Streams
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model
from unnerve.subjects.zoo.lenet5 import lenet5


def test_has_the_papers_parameters_and_neurons() -> None:
    net, x = lenet5(), torch.rand(2, 1, 28, 28)
    assert sum(parameter.numel() for parameter in net.parameters()) == 107786
    found = TorchModule(net).neuron_map(x)
    assert len(found) == 268
    assert len(found.layers) == 8
    assert found.layers[-1].name == "softmax"
    assert TorchModule(net).observe(x, Want.NEURONS).neurons.shape == (2, 268)


def test_the_last_neurons_are_the_probabilities() -> None:
    seen = TorchModule(lenet5()).observe(torch.rand(2, 1, 28, 28), Want.NEURONS)
    assert torch.allclose(seen.neurons[:, -10:], seen.probabilities.float(), rtol=1e-6, atol=1e-12)
    assert torch.equal(seen.neurons[:, -20:-10], seen.logits)


def test_ships_with_weights() -> None:
    x = Streams(0, "ab").uniform(0, 0, (1, 28, 28))
    assert model("zoo:lenet5").observe(x).logits.shape == (2, 10)
    assert not torch.equal(model("zoo:lenet5").observe(x).logits, model("zoo:lenet5?random").observe(x).logits)
