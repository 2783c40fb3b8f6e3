import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.vgg16 import vgg16


def test_has_the_papers_parameters_and_neurons() -> None:
    net, x = vgg16(), torch.rand(2, 3, 32, 32)
    assert sum(parameter.numel() for parameter in net.parameters()) == 33_663_070
    subject = TorchModule(net)
    found = subject.neuron_map(x)
    assert (len(found), len(found.layers), found.chosen_by) == (12_426, 16, "conv_dense")
    assert len(found.hidden) == 12_416, "the last dense layer is the answer, though a batch norm follows it"
    assert subject.observe(x, Want.NEURONS).neurons.shape == (2, 12_426)
    # DeepHunter's profile counts convolutions, dense layers and poolings.
    assert len(TorchModule(net, neurons="conv*,fc*,pool*").neuron_map(x)) == 13_898
    # By hand: three layers of 4,224 channels, poolings, two dense layers with three more each, the last with two.
    every = 3 * 4_224 + 64 + 128 + 256 + 512 + 512 + 2 * 4 * 4_096 + 3 * 10
    assert len(TorchModule(net, neurons="deepxplore").neuron_map(x)) == every


def test_takes_other_images() -> None:
    assert vgg16(1, 64, 7).eval()(torch.rand(2, 1, 64, 64)).shape == (2, 7)


def test_may_be_narrower() -> None:
    net, x = vgg16(width=0.25), torch.rand(2, 3, 32, 32)
    assert len(TorchModule(net).neuron_map(x)) == (12_426 - 10) // 4 + 10
    assert net(x).shape == (2, 10)
    with pytest.raises(InvalidSetting, match=r"width must be >= 1/64, got 0\.01"):
        vgg16(width=0.01)
