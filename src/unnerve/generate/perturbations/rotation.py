"""Turned images (Tian et al., ICSE 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded
from unnerve.generate.perturbations._warps import matrices, warped

__all__ = ["Rotation"]

_AMOUNTS = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0)


@dataclass(frozen=True)
class Rotation:
    """Turn images about their middle, by 5, 10, 15, 20 or 30 degrees; the die says which way.

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
        return graded(inputs, parameters, _AMOUNTS, _turned)


def _turned(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    angle = torch.deg2rad(torch.where(dice < 0.5, -amounts, amounts))
    none = torch.zeros_like(angle)
    # In pixels the map is a rotation; in shares of the sides of an oblong image it is not.
    aspect = images.shape[2] / images.shape[3]
    sine = angle.sin()
    return warped(images, matrices(angle.cos(), -sine * aspect, sine / aspect, angle.cos(), none, none))
