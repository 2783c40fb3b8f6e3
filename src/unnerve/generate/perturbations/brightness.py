"""Brighter or darker images (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["Brightness", "brightened"]

_AMOUNTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)


@dataclass(frozen=True)
class Brightness:
    """Add one number to all values, or take it away; the die says which.

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
        return graded(inputs, parameters, _AMOUNTS, _shifted)


def _shifted(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    # Differs: CIFAR-10-C only brightens, in HSV; a camera can be too dark as well.
    return brightened(images, torch.where(dice < 0.5, -amounts, amounts))


def brightened(images: Tensor, amounts: Tensor) -> Tensor:
    """Add to all values of each image (K, C, H, W) an amount of its own, (K,); DeepHunter does the same."""
    return images + amounts.to(images.dtype).view(-1, 1, 1, 1)
