"""Less contrast (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["Contrast"]

_AMOUNTS = (1.0, 0.75, 0.5, 0.4, 0.3, 0.15)


@dataclass(frozen=True)
class Contrast:
    """Bring all values nearer to the mean of their channel: a share of their distance is left.

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
        return graded(inputs, parameters, _AMOUNTS, _flattened)


def _flattened(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    # In double precision, so that a mean has the same bits in a batch of any size.
    mean = images.double().mean(dim=(2, 3), keepdim=True)
    return mean + (images - mean) * amounts.view(-1, 1, 1, 1)
