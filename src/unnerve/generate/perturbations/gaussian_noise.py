"""Normal noise (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded, noise

__all__ = ["GaussianNoise", "noisy"]

_AMOUNTS = (0.0, 0.04, 0.06, 0.08, 0.09, 0.1)


@dataclass(frozen=True)
class GaussianNoise:
    """Add normal noise of a standard deviation; the die is the noise.

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
        return graded(inputs, parameters, _AMOUNTS, _with_noise)


def _with_noise(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    deviations = amounts.to(images.dtype).view(-1, 1, 1, 1)
    return noisy(images, noise(dice, tuple(images.shape[1:]), normal=True), deviations)


def noisy(values: Tensor, normal: Tensor, deviations: Tensor) -> Tensor:
    """Add standard normal numbers times deviations, of any shape that spreads over the values: any normal noise."""
    return values + normal * deviations
