"""Net-2 of NSATP (Zhang et al., "NSATP", DSA 2019, Table I)."""

from collections import OrderedDict

from torch import nn

__all__ = ["net2"]


def net2(channels: int = 1, size: int = 28, classes: int = 10) -> nn.Module:
    """Two 3x3 convolutions with 32 channels, each pooled 2x2, and a dense layer of 512.

    Takes (N, channels, size, size), returns logits (N, classes). The paper states neither stride nor padding:
    convolutions keep the size, each pooling halves it.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    side = size // 4
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(channels, 32, 3, padding=1),
            relu1=nn.ReLU(),
            pool1=nn.MaxPool2d(2),
            conv2=nn.Conv2d(32, 32, 3, padding=1),
            relu2=nn.ReLU(),
            pool2=nn.MaxPool2d(2),
            flatten=nn.Flatten(),
            fc1=nn.Linear(32 * side * side, 512),
            relu3=nn.ReLU(),
            logits=nn.Linear(512, classes),
        )
    ).eval()
