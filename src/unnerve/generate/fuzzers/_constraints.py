"""DeepXplore's constraints: which changes of an image a gradient may make."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData

__all__ = ["CONSTRAINTS"]

Constraint = Callable[[Tensor, Tensor, int], Tensor]
"""(gradients (N, C, H, W), draws (N, 2) in [0, 1), side of a square) -> the changes that are allowed, (N, C, H, W)."""


def light(gradient: Tensor, draws: Tensor, side: int) -> Tensor:
    """Make the whole input lighter or darker: the mean of the gradient everywhere."""
    mean = gradient.flatten(1).mean(dim=1)
    return mean.view(-1, *[1] * (gradient.ndim - 1)).expand_as(gradient).clone()


def occlusion(gradient: Tensor, draws: Tensor, side: int) -> Tensor:
    """Change one square of the image freely, at a place drawn for each image."""
    # Differs: the release keeps one rectangle of 10 by 10 at the upper left for all images, where digits have nothing.
    return gradient * _square(gradient, draws, side)


def blackout(gradient: Tensor, draws: Tensor, side: int) -> Tensor:
    """Darken one square of the image, if the gradient says so on average."""
    inside = _square(gradient, draws, side)
    darker = (gradient * inside).flatten(1).sum(dim=1) < 0
    return -(inside & darker.view(-1, 1, 1, 1)).to(gradient.dtype).expand_as(gradient)


CONSTRAINTS: Mapping[str, Constraint] = {"light": light, "occlusion": occlusion, "blackout": blackout}


def _square(gradient: Tensor, draws: Tensor, side: int) -> Tensor:
    """Return where the squares are, bool (N, 1, H, W)."""
    if gradient.ndim != 4:
        raise InvalidData(f"squares are for images, got inputs of shape {tuple(gradient.shape[1:])}; take light")
    height, width = gradient.shape[2:]
    top = (draws[:, 0] * max(1, height - side + 1)).long().unsqueeze(1)
    left = (draws[:, 1] * max(1, width - side + 1)).long().unsqueeze(1)
    rows, columns = torch.arange(height).unsqueeze(0), torch.arange(width).unsqueeze(0)
    down, across = (rows >= top) & (rows < top + side), (columns >= left) & (columns < left + side)
    return (down.unsqueeze(2) & across.unsqueeze(1)).unsqueeze(1)
