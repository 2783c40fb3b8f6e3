"""Paler or stronger colours (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["Saturation"]

_AMOUNTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Saturation:
    """Bring colours nearer to grey, or farther from it; the die says which.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether inputs of this shape can be changed so."""
        return len(shape) == 3 and shape[0] == 3

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 2."""
        return PARAMETERS

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 2)."""
        return drawn(streams, step, count)

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images (N, C, H, W) in [0, 1] by parameters (N, M, 2): (N, M, C, H, W)."""
        return graded(inputs, parameters, _AMOUNTS, _coloured)


def _coloured(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    if images.shape[1] != 3:
        raise InvalidData(f"saturation takes images of three channels, got {images.shape[1]}")
    weights = torch.tensor([0.299, 0.587, 0.114], dtype=images.dtype).view(1, 3, 1, 1)
    grey = (images * weights).sum(dim=1, keepdim=True)
    # Severity 5 is grey on one side, and three times the distance from grey on the other.
    factor = torch.where(dice < 0.5, 1 - amounts, 1 + 2 * amounts).to(images.dtype)
    return grey + (images - grey) * factor.view(-1, 1, 1, 1)
