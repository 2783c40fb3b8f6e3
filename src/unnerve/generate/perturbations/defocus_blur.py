"""Images out of focus (Hendrycks and Dietterich, ICLR 2019)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["DefocusBlur"]

_AMOUNTS = (0.0, 0.01, 0.0185, 0.027, 0.036, 0.045)


@dataclass(frozen=True)
class DefocusBlur:
    """Average over a disc; its radius is a share of the shorter side.

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
        return graded(inputs, parameters, _AMOUNTS, _blurred)


def _blurred(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    height, width = images.shape[2:]
    radius = amounts * min(height, width)
    reach = min(math.ceil(_AMOUNTS[-1] * min(height, width) + 0.5), height - 1, width - 1)
    padded = pad(images, [reach] * 4, mode="reflect")
    total, weights = torch.zeros_like(images), torch.zeros_like(radius)
    # Shift by shift and not as a convolution: every row has a disc of its own, and its bits must not depend on others.
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            weight = (radius + 0.5 - math.hypot(down, right)).clamp(0, 1)
            if not bool(weight.any()):
                continue
            part = padded[:, :, reach + down : reach + down + height, reach + right : reach + right + width]
            total += part * weight.to(images.dtype).view(-1, 1, 1, 1)
            weights += weight
    return total / weights.to(images.dtype).view(-1, 1, 1, 1)
