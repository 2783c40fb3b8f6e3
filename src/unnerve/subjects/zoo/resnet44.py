"""ResNet-44 for small images (He et al., "Deep residual learning for image recognition", CVPR 2016)."""

from torch import nn

from unnerve.subjects.zoo.resnet20 import resnet20

__all__ = ["resnet44"]


def resnet44(shortcut: str = "padding", channels: int = 3, classes: int = 10) -> nn.Module:
    """Three stages of seven blocks of two 3x3 convolutions: 658,586 trainable parameters, as the paper's.

    Takes (N, channels, H, W), usually 3x32x32, returns logits (N, classes).

    Parameters
    ----------
    shortcut : str
        ``padding`` (option A of the paper, whose weights circulate) or ``convolution``, see ``resnet20``.
    channels, classes : int

    References
    ----------
    He et al., "Deep residual learning for image recognition", 2016.
    """
    return resnet20(shortcut, 44, channels, classes)
