"""Net-1 of NSATP (Zhang et al., "NSATP", DSA 2019, Table I)."""

from collections import OrderedDict

from torch import nn

__all__ = ["net1"]


def net1(channels: int = 1, size: int = 28, classes: int = 10) -> nn.Module:
    """Three 5x5 convolutions with 64 channels, pooled after the first and the third; dense layers of 512 and 192.

    Takes (N, channels, size, size), returns logits (N, classes). The paper states neither stride nor padding:
    convolutions keep the size, each 3x3 pooling halves it.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    side = -(-size // 4)
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(channels, 64, 5, padding=2),
            relu1=nn.ReLU(),
            pool1=nn.MaxPool2d(3, stride=2, padding=1),
            conv2=nn.Conv2d(64, 64, 5, padding=2),
            relu2=nn.ReLU(),
            conv3=nn.Conv2d(64, 64, 5, padding=2),
            relu3=nn.ReLU(),
            pool2=nn.MaxPool2d(3, stride=2, padding=1),
            flatten=nn.Flatten(),
            fc1=nn.Linear(64 * side * side, 512),
            relu4=nn.ReLU(),
            fc2=nn.Linear(512, 192),
            relu5=nn.ReLU(),
            logits=nn.Linear(192, classes),
        )
    ).eval()
