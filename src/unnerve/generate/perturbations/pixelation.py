"""Coarser pixels (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["Pixelation"]

_AMOUNTS = (1.0, 0.6, 0.5, 0.4, 0.3, 0.25)  # those of ImageNet-C: finer ones change nothing in 28 pixels


@dataclass(frozen=True)
class Pixelation:
    """Average over square cells; the resolution falls to a share of the image's own.

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
        return graded(inputs, parameters, _AMOUNTS, _coarse)


def _coarse(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    down, across = (_means(side, amounts).to(images.dtype) for side in images.shape[2:])
    return _averaged(_averaged(images, down).transpose(2, 3), across).transpose(2, 3)


def _averaged(images: Tensor, means: Tensor) -> Tensor:
    """Average images (K, C, H, W) along their third axis by matrices (K, H, H)."""
    total = torch.zeros_like(images)
    # Row by row and not as a product of matrices, whose bits depend on how many there are.
    for row in range(images.shape[2]):
        total += means[:, :, row].view(len(images), 1, -1, 1) * images[:, :, row : row + 1]
    return total


def _means(side: int, shares: Tensor) -> Tensor:
    """Return matrices (K, side, side) that replace each place of a line by the mean of its cell."""
    cells = (side * shares).round().clamp_min(1).unsqueeze(1)
    cell = ((torch.arange(side, dtype=torch.float64) + 0.5) * cells / side).floor()
    together = (cell.unsqueeze(2) == cell.unsqueeze(1)).double()
    return together / together.sum(dim=2, keepdim=True)
