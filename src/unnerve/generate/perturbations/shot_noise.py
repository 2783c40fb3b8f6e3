"""The noise of few photons (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded, noise
from unnerve.generate.perturbations.gaussian_noise import noisy

__all__ = ["ShotNoise"]

_AMOUNTS = (0.0, 1 / 500, 1 / 250, 1 / 100, 1 / 75, 1 / 50)


@dataclass(frozen=True)
class ShotNoise:
    """Add noise whose variance grows with the value: that of a count of so many photons for white.

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
    # Differs: counts are Poisson in CIFAR-10-C; a normal law of the same mean and variance is as good from 50 photons
    # on, and the same die then gives stronger noise of the same kind at every severity.
    spread = (images * amounts.to(images.dtype).view(-1, 1, 1, 1)).sqrt()
    return noisy(images, noise(dice, tuple(images.shape[1:]), normal=True), spread)
