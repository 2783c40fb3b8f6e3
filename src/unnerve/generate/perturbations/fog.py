"""Fog (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded, noise

__all__ = ["Fog"]

_AMOUNTS = (0.0, 0.2, 0.5, 0.75, 1.0, 1.5)
_SCALES = (2, 4, 8)  # places of the grids along each side


@dataclass(frozen=True)
class Fog:
    """Lay fog over images: noise of several coarse scales, smoothly interpolated; the die is its shape.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether inputs of this shape can be changed so."""
        return len(shape) == 3

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 2."""
        return PARAMETERS

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 2)."""
        return drawn(streams, step, count)

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images (N, C, H, W) in [0, 1] by parameters (N, M, 2): (N, M, C, H, W)."""
        return graded(inputs, parameters, _AMOUNTS, _foggy)


def _foggy(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    brightest = images.flatten(1).amax(dim=1).view(-1, 1, 1, 1)
    thick = amounts.to(images.dtype).view(-1, 1, 1, 1)
    # What is brightest stays so: fog adds light, and the exposure follows.
    return (images + thick * _cloud(dice, (images.shape[2], images.shape[3]))) * brightest / (brightest + thick)


def _cloud(dice: Tensor, size: tuple[int, int]) -> Tensor:
    """Return fog of dice (K,) in [0, 1], (K, 1, H, W): half as much of every scale that is twice as fine."""
    grids = noise(dice, (sum(side * side for side in _SCALES),)).split([side * side for side in _SCALES], dim=1)
    cloud = torch.zeros(len(dice), 1, *size)
    for place, (grid, side) in enumerate(zip(grids, _SCALES, strict=True)):
        rows = grid.reshape(-1, 1, side, side)
        cloud += interpolate(rows, size, mode="bilinear", align_corners=True) * 0.5 ** (place + 1)
    return cloud / (1 - 0.5 ** len(_SCALES))
