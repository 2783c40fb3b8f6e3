"""Padding as TensorFlow does it, for weights that come from there."""

from torch import Tensor
from torch.nn.functional import pad

__all__ = ["evened"]


def evened(x: Tensor) -> Tensor:
    """Pad as TensorFlow's "same" does for a 3x3 convolution of stride 2: an even side below or on the right only."""
    below, right = (1, 1) if x.shape[2] % 2 else (0, 1), (1, 1) if x.shape[3] % 2 else (0, 1)
    return pad(x, (*right, *below))
