"""Images that moved while they were taken (Hendrycks and Dietterich, ICLR 2019)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded
from unnerve.generate.perturbations._warps import matrices, warped

__all__ = ["MotionBlur"]

_AMOUNTS = (0.0, 0.04, 0.08, 0.12, 0.16, 0.2)


@dataclass(frozen=True)
class MotionBlur:
    """Average along a line whose length is a share of the shorter side; the die is its direction.

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
        return graded(inputs, parameters, _AMOUNTS, _moved)


def _moved(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    height, width = images.shape[2:]
    length, angle = amounts * min(height, width), dice.double() * math.pi
    # Half a pixel between neighbouring points at most, so that no gap can be seen.
    points = 2 * math.ceil(_AMOUNTS[-1] * min(height, width)) + 1
    one, none, total = torch.ones_like(length), torch.zeros_like(length), torch.zeros_like(images)
    for place in torch.linspace(-0.5, 0.5, points).tolist():
        right, down = 2 * place * length * angle.cos() / width, 2 * place * length * angle.sin() / height
        total += warped(images, matrices(one, none, none, one, right, down), "border")
    return total / points
