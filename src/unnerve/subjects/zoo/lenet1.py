"""LeNet-1 as DeepXplore and DeepSensor use it (LeCun et al., 1998; Pei et al., SOSP 2017)."""

from collections import OrderedDict

from torch import nn

from unnerve.subjects.zoo._counted import Counted

__all__ = ["lenet1"]


def lenet1() -> nn.Module:
    """Two 5x5 convolutions with 4 and 12 channels, one dense layer: 7,206 parameters, 52 neurons.

    Takes (N, 1, 28, 28), returns logits (N, 10).

    References
    ----------
    LeCun et al., "Gradient-based learning applied to document recognition", 1998.
    """
    return Counted(
        OrderedDict(
            conv1=nn.Conv2d(1, 4, 5, padding=2),
            relu1=nn.ReLU(),
            pool1=nn.MaxPool2d(2),
            conv2=nn.Conv2d(4, 12, 5, padding=2),
            relu2=nn.ReLU(),
            pool2=nn.MaxPool2d(2),
            flatten=nn.Flatten(),
            logits=nn.Linear(588, 10),
        ),
        neuron_layers=("conv1+relu1", "pool1", "conv2+relu2", "pool2", "logits", "softmax"),
    ).eval()
