"""The memory format of images."""

import torch
from torch import Tensor

__all__ = ["channels_last"]


def channels_last(x: Tensor) -> Tensor:
    """Return images (N, C, H, W) with the channels innermost in memory.

    Those of a single channel lie there so already, and torch leaves them alone; but unless the strides say it, the
    layers behind choose the other format, which is slower.
    """
    if x.shape[1] != 1:
        return x.contiguous(memory_format=torch.channels_last)
    height, width = x.shape[2:]
    return x.contiguous().as_strided(x.shape, (height * width, 1, width, 1))
