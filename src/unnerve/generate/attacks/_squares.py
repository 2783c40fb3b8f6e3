"""Squares in images: where they lie, and the hills and valleys that a step in L2 is made of."""

from functools import cache

import torch
from torch import Tensor

from unnerve.generate.attacks._selection import broadcast_over

__all__ = ["hills", "inside", "lengths", "placed", "tiles"]


def inside(corner: Tensor, side: int, shape: torch.Size) -> Tensor:
    """Say which pixels lie in squares of this side: bool (N, 1, H, W); ``corner`` is in [0, 1), (N, 2)."""
    down, right = _offsets(corner, side, shape)
    rows, columns = ((one >= 0) & (one < side) for one in (down, right))
    return (rows[:, :, None] & columns[:, None, :]).unsqueeze(1)


def placed(pattern: Tensor, corner: Tensor, turned: Tensor, shape: torch.Size) -> Tensor:
    """Lay a pattern (side, side), or turned about where bool (N,) says so, into empty images: (N, 1, H, W)."""
    side = len(pattern)
    down, right = (one.clamp(0, side - 1) for one in _offsets(corner, side, shape))
    straight = pattern[down[:, :, None], right[:, None, :]].unsqueeze(1)
    across = pattern[right[:, None, :], down[:, :, None]].unsqueeze(1)
    return torch.where(broadcast_over(turned, straight), across, straight) * inside(corner, side, shape)


@cache
def hills(side: int) -> Tensor:
    """Return a hill above a valley of the same form, of length one: (side, side) (Eq. 2)."""
    half = side // 2
    pattern = torch.cat([_hill(half, side), -_hill(side - half, side)])
    return pattern / lengths(pattern, 2)


def tiles(signs: Tensor, turned: Tensor, shape: torch.Size) -> Tensor:
    """Return images (N, C, H, W) tiled with 5 x 5 hills, by signs (N, 25, C) and bool (N, 25)."""
    height, width = shape[-2:]
    side = max(1, min(height, width) // 5)
    start = torch.zeros(shape)
    for tile in range(25):
        top, left = (height - 5 * side) // 2 + tile // 5 * side, (width - 5 * side) // 2 + tile % 5 * side
        if 0 <= top < height and 0 <= left < width:  # an image of fewer than five pixels has no room for all
            pattern = torch.where(turned[:, tile, None, None], hills(side).T, hills(side)).unsqueeze(1)
            start[:, :, top : top + side, left : left + side] = pattern * signs[:, tile, :, None, None]
    return start


def lengths(x: Tensor, axes: int) -> Tensor:
    """Return Euclidean lengths over the last ``axes`` axes, which stay with size one."""
    # Not as the root of a sum: torch splits the sum of one long row among threads, but not the sums of many rows.
    found: Tensor = torch.linalg.vector_norm(x, dim=tuple(range(-axes, 0)), keepdim=True)
    return found


def _offsets(corner: Tensor, side: int, shape: torch.Size) -> tuple[Tensor, Tensor]:
    """Return how far each row (N, H) and column (N, W) lies from the square's first."""
    height, width = shape[-2:]
    free = torch.tensor([height - side + 1, width - side + 1])
    start = (corner * free).long()
    return torch.arange(height) - start[:, :1], torch.arange(width) - start[:, 1:]


def _hill(height: int, width: int) -> Tensor:
    """Return rings that rise towards the middle: (height, width), of length one."""
    hill = torch.zeros(height, width)
    top, left = height // 2, width // 2
    for ring in range(max(height // 2, width // 2) + 1):
        rows, columns = (slice(max(0, start - ring), start + ring + 1) for start in (top, left))
        hill[rows, columns] += 1 / (ring + 1) ** 2
    return hill / lengths(hill, 2).clamp_min(1e-12)
