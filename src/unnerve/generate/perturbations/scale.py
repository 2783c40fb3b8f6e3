"""Larger or smaller images (Tian et al., ICSE 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded
from unnerve.generate.perturbations._warps import matrices, warped

__all__ = ["Scale"]

_AMOUNTS = (1.0, 1.05, 1.1, 1.2, 1.3, 1.4)


@dataclass(frozen=True)
class Scale:
    """Enlarge images, or shrink them by the same factor; the die says which.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Tian et al., "DeepTest: Automated Testing of Deep-Neural-Network-driven Autonomous Cars", 2018.
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
        return graded(inputs, parameters, _AMOUNTS, _resized)


def _resized(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    factor, none = torch.where(dice < 0.5, amounts, 1 / amounts), torch.zeros_like(amounts)
    return warped(images, matrices(factor, none, none, factor, none, none))
