import pytest
import torch
from torch import nn

from unnerve.subjects.zoo.net1 import net1


@pytest.mark.parametrize(("channels", "size", "classes"), [(1, 28, 10), (3, 32, 10), (3, 32, 100)])
def test_takes_the_papers_images(channels: int, size: int, classes: int) -> None:
    net = net1(channels, size, classes)
    assert net(torch.zeros(2, channels, size, size)).shape == (2, classes)


def test_has_the_papers_layers() -> None:
    layers = [layer for layer in net1().children() if not isinstance(layer, nn.ReLU | nn.Flatten)]
    convolutions = [layer for layer in layers if isinstance(layer, nn.Conv2d)]
    assert [(layer.kernel_size, layer.out_channels) for layer in convolutions] == [((5, 5), 64)] * 3
    assert [layer.kernel_size for layer in layers if isinstance(layer, nn.MaxPool2d)] == [3] * 2
    assert [layer.out_features for layer in layers if isinstance(layer, nn.Linear)] == [512, 192, 10]
    assert (
        "".join({"Conv2d": "c", "MaxPool2d": "p", "Linear": "d"}[type(layer).__name__] for layer in layers)
        == "cpccpddd"
    )


def test_every_layer_but_the_last_has_a_relu() -> None:
    kinds = [type(layer) for layer in net1().children()]
    weighted = [place for place, kind in enumerate(kinds) if kind in (nn.Conv2d, nn.Linear)]
    assert all(kinds[place + 1] is nn.ReLU for place in weighted[:-1])
    assert kinds[-1] is nn.Linear


def test_parameters_by_hand() -> None:
    assert (
        sum(parameter.numel() for parameter in net1().parameters())
        == (25 + 1) * 64 + 2 * (25 * 64 + 1) * 64 + (64 * 49 + 1) * 512 + 513 * 192 + 193 * 10
    )
