"""Dead and hot pixels (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded, noise

__all__ = ["SaltAndPepper"]

_AMOUNTS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07)


@dataclass(frozen=True)
class SaltAndPepper:
    """Turn a share of the values white or black, one half each; the die says where.

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
        return graded(inputs, parameters, _AMOUNTS, _peppered)


def _peppered(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    places = noise(dice, tuple(images.shape[1:]))
    edge = torch.minimum(places, 1 - places)
    # One value at least, also where a share of a small image would be less than one.
    first = torch.where(amounts > 0, edge.flatten(1).amin(dim=1), 0)
    half = torch.maximum((amounts / 2).to(images.dtype), first.to(images.dtype)).view(-1, 1, 1, 1)
    hit = (edge <= half) & (amounts > 0).view(-1, 1, 1, 1)
    return torch.where(hit, (places > 0.5).to(images.dtype), images)
