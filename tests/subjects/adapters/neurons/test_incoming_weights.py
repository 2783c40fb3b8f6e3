import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.core.wrappers.wrapped import Wrapped
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule


def test_means_of_the_weights_of_each_neuron() -> None:
    net = nn.Sequential(nn.Conv2d(1, 2, 2), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))
    net[0].weight.data = torch.arange(8.0).view(2, 1, 2, 2)
    net[3].weight.data = torch.tensor([[1.0] * 8, [2.0] * 8, [3.0] * 8])
    found = Wrapped(TorchModule(net, "net")).incoming_weights(torch.zeros(1, 1, 5, 5))
    assert found[:2].tolist() == [1.5, 5.5]
    assert bool(found[2:4].isnan().all()), "of the pooling"
    assert found[-3:].tolist() == [1.0, 2.0, 3.0]


def test_a_layer_that_counts_with_its_activation_has_its_weights() -> None:
    import unnerve

    found = unnerve.model("zoo:lenet5").incoming_weights(torch.zeros(1, 1, 28, 28))  # type: ignore[attr-defined]
    assert len(found) == 268
    assert int(found.isnan().sum()) == 6 + 16 + 10, "two poolings and the softmax"


def test_a_black_box_has_none() -> None:
    with pytest.raises(InvalidModel, match="box does not tell its weights"):
        Wrapped(BlackBox(lambda x: x, "box")).incoming_weights(torch.zeros(1, 2))
