"""Images resampled at other places, by bilinear interpolation."""

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

__all__ = ["matrices", "warped"]


def warped(images: Tensor, maps: Tensor, padding: str = "zeros") -> Tensor:
    """Resample images (K, C, H, W) at the places that maps (K, 2, 3) of the unit square say.

    What comes in from outside is black, or with the padding ``border`` like the edge.
    """
    grid = affine_grid(maps.float(), list(images.shape), align_corners=False)
    changed = grid_sample(images, grid, padding_mode=padding, align_corners=False)
    # Rounding in the interpolation must not leave the range of the image itself.
    low, high = images.flatten(1).amin(dim=1).clamp_max_(0), images.flatten(1).amax(dim=1)
    return changed.clamp_(low.view(-1, 1, 1, 1), high.view(-1, 1, 1, 1))


def matrices(a: Tensor, b: Tensor, c: Tensor, d: Tensor, right: Tensor, down: Tensor) -> Tensor:
    """Return maps (K, 2, 3) with rows (a, b, right) and (c, d, down) from numbers of shape (K,)."""
    return torch.stack([torch.stack([a, b, right], dim=1), torch.stack([c, d, down], dim=1)], dim=1)
