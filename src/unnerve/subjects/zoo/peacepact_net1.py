"""Net-1 of PEACEPACT, another network than NSATP's Net-1 (Li et al., "PEACEPACT", QRS 2020, Table II)."""

from collections import OrderedDict

from torch import nn

__all__ = ["peacepact_net1"]


def peacepact_net1(channels: int = 1, size: int = 28, classes: int = 10) -> nn.Module:
    """Three 5x5 convolutions with 64 channels, each pooled 3x3; dense layers of 512, 512 and 192.

    Takes (N, channels, size, size), returns logits (N, classes). The paper states neither stride nor padding:
    convolutions keep the size, each pooling halves it (rounded up).

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """
    side = -(-size // 8)
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(channels, 64, 5, padding=2),
            relu1=nn.ReLU(),
            pool1=nn.MaxPool2d(3, stride=2, padding=1),
            conv2=nn.Conv2d(64, 64, 5, padding=2),
            relu2=nn.ReLU(),
            pool2=nn.MaxPool2d(3, stride=2, padding=1),
            conv3=nn.Conv2d(64, 64, 5, padding=2),
            relu3=nn.ReLU(),
            pool3=nn.MaxPool2d(3, stride=2, padding=1),
            flatten=nn.Flatten(),
            fc1=nn.Linear(64 * side * side, 512),
            relu4=nn.ReLU(),
            fc2=nn.Linear(512, 512),
            relu5=nn.ReLU(),
            fc3=nn.Linear(512, 192),
            relu6=nn.ReLU(),
            logits=nn.Linear(192, classes),
        )
    ).eval()
