"""Rotation, translation, scale and shear of images in one step (the metamorphic changes of DeepTest and DeepHunter)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.perturbations._warps import warped

__all__ = ["Affine"]


@dataclass(frozen=True)
class Affine:
    """Turn, move, resize and shear images; what comes in from outside is black.

    The five parameters are rotation, horizontal and vertical translation, logarithm of the scale, and shear; 0.5 of
    each changes nothing, 0 and 1 are the bounds.

    Parameters
    ----------
    rotation : float
        Largest angle, in degrees.
    translation : float
        Largest move, as a share of the side.
    scale : float
        Largest factor of the size, >= 1; the smallest is its inverse.
    shear : float
        Largest shear factor.

    References
    ----------
    Xie et al., "DeepHunter: A Coverage-Guided Fuzz Testing Framework for Deep Neural Networks", 2019.
    """

    rotation: float = 30.0
    translation: float = 0.1
    scale: float = 1.2
    shear: float = 0.2
    identity = (0.5, 0.5, 0.5, 0.5, 0.5)
    """Parameters that change nothing."""

    def __post_init__(self) -> None:
        if self.scale < 1:
            raise InvalidSetting(f"scale must be >= 1, got {self.scale}")
        for name in ("rotation", "translation", "shear"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InvalidSetting(f"{name} must be >= 0, got {getattr(self, name)}")

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 5."""
        return 5

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 5)."""
        return streams.uniform(step, 0, (count, 5))

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images (N, C, H, W) by parameters (N, M, 5): (N, M, C, H, W)."""
        if inputs.ndim != 4:
            raise InvalidData(f"affine takes images, got inputs of shape {tuple(inputs.shape[1:])}")
        count = parameters.shape[1]
        images = inputs.repeat_interleave(count, dim=0)
        changed = warped(images, self._matrices(parameters.flatten(0, 1)))
        return changed.view(len(inputs), count, *inputs.shape[1:])

    def _matrices(self, parameters: Tensor) -> Tensor:
        """Return the maps from places in the changed image to places in the original, (K, 2, 3)."""
        turn, right, down, size, slant = (2 * parameters.double() - 1).unbind(dim=1)
        angle, factor = turn * math.radians(self.rotation), torch.exp(-size * math.log(self.scale))
        cosine, sine = angle.cos(), angle.sin()
        shear = slant * self.shear
        rows = [
            torch.stack([cosine, cosine * shear - sine], dim=1) * factor.unsqueeze(1),
            torch.stack([sine, sine * shear + cosine], dim=1) * factor.unsqueeze(1),
        ]
        moves = torch.stack([right, down], dim=1).mul(-2 * self.translation)
        return torch.cat([torch.stack(rows, dim=1), moves.unsqueeze(2)], dim=2).float()
