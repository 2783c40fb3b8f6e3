from pathlib import Path

import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Want
from unnerve.studies.train import accuracy
from unnerve.subjects.adapters.normalised import Normalised
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.weights import fill
from unnerve.subjects.zoo.resnet20 import resnet20

X = torch.rand(2, 3, 32, 32)
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


# DeepSensor's table: 273,066 parameters, 1,882 neurons; KuK's: 2,570 neurons.
@pytest.mark.parametrize(
    ("shortcut", "parameters", "neurons", "with_activations"),
    [("convolution", 273_066, 1_882, 2_570), ("padding", 269_722, 1_786, 2_474)],
)
def test_has_the_papers_parameters_and_neurons(
    shortcut: str, parameters: int, neurons: int, with_activations: int
) -> None:
    net = resnet20(shortcut)
    assert sum(parameter.numel() for parameter in net.parameters()) == parameters
    found = TorchModule(net).neuron_map(X)
    assert (len(found), found.chosen_by) == (neurons, "no_activation")
    assert len(TorchModule(net, neurons="deepxplore").neuron_map(X)) == with_activations
    assert TorchModule(net).observe(X, Want.NEURONS).neurons.shape == (2, neurons)


def test_has_the_papers_71_layers() -> None:
    # 19 convolutions with batch norm and activation, two shortcuts, nine additions, pooling, flatten, dense.
    assert len(TorchModule(resnet20(), neurons="deepxplore").neuron_map(X).layers) == 71 - 1


def test_additions_can_be_watched_and_the_last_neurons_are_the_probabilities() -> None:
    subject = TorchModule(resnet20())
    found, seen = subject.neuron_map(X), subject.observe(X, Want.NEURONS)
    assert sum(layer.name.endswith(".add") for layer in found.layers) == 9
    assert found.layers[-1].name == "linear+softmax"
    assert len(found.hidden) == 1_872
    assert torch.allclose(seen.neurons[:, -10:], seen.probabilities.float(), rtol=1e-6, atol=1e-12)


def test_empty_channels_stand_on_both_sides() -> None:
    block = resnet20("padding").get_submodule("layer2.0")
    around: Tensor = block._around(torch.ones(1, 16, 4, 4))  # type: ignore[operator]
    assert around.shape == (1, 32, 2, 2)
    assert around.sum(dim=(0, 2, 3)).tolist() == [0] * 8 + [4] * 16 + [0] * 8


@pytest.mark.parametrize(("depth", "parameters"), [(32, 464_154), (44, 658_586)])
def test_deeper_ones(depth: int, parameters: int) -> None:
    net = resnet20("padding", depth)
    assert sum(parameter.numel() for parameter in net.parameters()) == parameters


def test_takes_other_images() -> None:
    assert resnet20(channels=1, classes=7)(torch.rand(2, 1, 28, 28)).shape == (2, 7)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("shortcut=none", "resnet20: shortcut must be convolution or padding, got 'none'"),
        ("depth=21", "resnet20: depth must be 6n + 2, from 8 to 1,202, got 21"),
        ("depth=2", "resnet20: depth must be 6n + 2, from 8 to 1,202, got 2"),
    ],
)
def test_refuses_strange_settings(settings: str, words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        model(f"zoo:resnet20:{settings}?random")
    assert str(error.value) == words


@pytest.fixture(scope="module")
def photographs(real_data: Path) -> Examples:
    return examples(f"cifar10:{real_data / 'cifar10'}", split="test")


@pytest.mark.data
@pytest.mark.parametrize(("depth", "count"), [(20, 500), (32, 150), (44, 150)])
def test_real_weights(real_data: Path, photographs: Examples, depth: int, count: int) -> None:
    net = fill(resnet20("padding", depth), real_data / "weights" / f"cifar10_resnet{depth}.pt")
    assert accuracy(Normalised(net, *IMAGENET), photographs.take(range(count))) > 0.9


@pytest.mark.soak
@pytest.mark.data
def test_the_published_error_to_the_last_digit(real_data: Path, photographs: Examples) -> None:
    net = fill(resnet20("padding"), real_data / "weights" / "cifar10_resnet20.pt")
    assert accuracy(Normalised(net, *IMAGENET), photographs) == pytest.approx(0.9173, abs=2e-4)
