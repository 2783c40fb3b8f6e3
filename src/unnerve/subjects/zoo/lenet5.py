"""LeNet-5 as DeepXplore and DeepSensor use it (LeCun et al., 1998; Pei et al., SOSP 2017)."""

from collections import OrderedDict

from torch import nn

from unnerve.subjects.zoo._counted import Counted

__all__ = ["lenet5"]


def lenet5() -> nn.Module:
    """Two 5x5 convolutions with 6 and 16 channels, three dense layers: 107,786 parameters, 268 neurons.

    Takes (N, 1, 28, 28), returns logits (N, 10).

    References
    ----------
    LeCun et al., "Gradient-based learning applied to document recognition", 1998.
    """
    return Counted(
        OrderedDict(
            conv1=nn.Conv2d(1, 6, 5, padding=2),
            relu1=nn.ReLU(),
            pool1=nn.MaxPool2d(2),
            conv2=nn.Conv2d(6, 16, 5, padding=2),
            relu2=nn.ReLU(),
            pool2=nn.MaxPool2d(2),
            flatten=nn.Flatten(),
            fc1=nn.Linear(784, 120),
            relu3=nn.ReLU(),
            fc2=nn.Linear(120, 84),
            relu4=nn.ReLU(),
            logits=nn.Linear(84, 10),
        ),
        neuron_layers=(
            *("conv1+relu1", "pool1", "conv2+relu2", "pool2"),
            *("fc1+relu3", "fc2+relu4", "logits", "softmax"),
        ),
    ).eval()
