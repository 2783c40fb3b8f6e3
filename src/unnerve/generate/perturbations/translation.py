"""Moved images (Tian et al., ICSE 2018)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded
from unnerve.generate.perturbations._warps import matrices, warped

__all__ = ["Translation"]

_AMOUNTS = (0.0, 0.03, 0.06, 0.09, 0.12, 0.16)


@dataclass(frozen=True)
class Translation:
    """Move images by a share of their sides, in the direction that the die says.

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
        return graded(inputs, parameters, _AMOUNTS, _moved)


def _moved(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    angle, one, none = dice.double() * 2 * math.pi, torch.ones_like(amounts), torch.zeros_like(amounts)
    # The unit square of the maps goes from -1 to 1: a whole side is 2.
    return warped(images, matrices(one, none, none, one, -2 * amounts * angle.cos(), -2 * amounts * angle.sin()))
