import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.neurons.filters import counted
from unnerve.subjects.adapters.normalised import Normalised
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.lenet5 import lenet5


class Block(nn.Module):
    """A block with every kind of layer."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(18, 3), nn.Softmax(dim=1))

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.head(self.body(x))
        return answer


@pytest.mark.parametrize(
    ("chooser", "names"),
    [
        ("deepxplore", "body.0 body.1 body.2 body.3 head.1 head.2 head.3"),
        ("no_activation", "body.0 body.1 body.3 head.1 head.2"),
        ("conv_dense", "body.0 head.2"),
        ("*", "body.0 body.1 body.2 body.3 head.1 head.2 head.3"),
        ("body.*", "body.0 body.1 body.2 body.3"),
        ("body.0, head.2", "body.0 head.2"),
        ("*.[12]", "body.1 body.2 head.1 head.2"),
        ("body", "body"),
    ],
)
def test_filters(chooser: str, names: str) -> None:
    assert list(counted(Block(), chooser)) == names.split()
    found = TorchModule(Block(), neurons=chooser).neuron_map(torch.rand(3, 1, 8, 8))
    assert [layer.name for layer in found.layers] == names.split()
    assert found.chosen_by == chooser


@pytest.mark.parametrize(("chooser", "count"), [("deepxplore", 268), ("no_activation", 258), ("conv_dense", 236)])
def test_a_declared_layer_is_of_the_kind_of_its_first_part(chooser: str, count: int) -> None:
    # DeepHunter's profile of LeNet-5, without its activations, has 258 neurons; 6 + 16 + 120 + 84 + 10 = 236.
    found = TorchModule(lenet5(), neurons=chooser).neuron_map(torch.rand(1, 1, 28, 28))
    assert len(found) == count
    assert found.layers[0].name == "conv1+relu1"


def test_a_pattern_sees_every_layer_of_a_network_that_declares_some() -> None:
    assert list(counted(lenet5(), "conv*")) == ["conv1", "conv2"]
    assert list(counted(lenet5(), "relu*,softmax")) == ["relu1", "relu2", "relu3", "relu4", "softmax"]


def test_a_module_can_name_its_own_filter() -> None:
    net = Block()
    net.neuron_filter = "conv_dense"  # type: ignore[assignment]
    x = torch.rand(2, 1, 8, 8)
    assert TorchModule(net).neuron_map(x).chosen_by == "conv_dense"
    assert TorchModule(net, neurons="deepxplore").neuron_map(x).chosen_by == "deepxplore"


@pytest.mark.parametrize("chooser", ["fc*", "conv-dense", "conv_dense", "head.0"])
def test_says_which_layers_there_are_if_none_fits(chooser: str) -> None:
    net = nn.Sequential(nn.ReLU(), nn.Flatten())
    with pytest.raises(InvalidModel) as error:
        TorchModule(net, neurons=chooser)
    assert str(error.value) == f"no layer matches '{chooser}'; layers are: 0, 1"


def test_names_stay_behind_what_prepares_the_input() -> None:
    net = Normalised(Normalised(Block(), [0.5], [0.5]), [0.1], [2.0])
    found = TorchModule(net, neurons="body.0").neuron_map(torch.rand(2, 1, 8, 8))
    assert [layer.name for layer in found.layers] == ["body.0"]
    assert TorchModule(Normalised(lenet5(), [0.1], [0.3])).neuron_map(torch.rand(2, 1, 28, 28)).layers[-1].count == 10


def test_a_network_of_one_layer_has_the_name_of_its_kind() -> None:
    found = TorchModule(nn.Linear(4, 3), outputs="logits").neuron_map(torch.rand(2, 4))
    assert [(layer.name, layer.count, layer.hidden) for layer in found.layers] == [("Linear", 3, False)]
