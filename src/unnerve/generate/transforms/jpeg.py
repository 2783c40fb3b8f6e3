"""JPEG compression as a defence (Dziugaite et al., 2016)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.generate.perturbations.jpeg import compressed

__all__ = ["JPEG"]


@dataclass(frozen=True)
class JPEG:
    """Compress every image and open it again; values become multiples of 1/255.

    Parameters
    ----------
    quality : int
        In [1, 100].

    References
    ----------
    Dziugaite et al., "A study of the effect of JPG compression on adversarial images", 2016.
    """

    quality: int = 75

    def __post_init__(self) -> None:
        if not 1 <= self.quality <= 100:
            raise InvalidSetting(f"quality must be in [1, 100], got {self.quality}")

    def __call__(self, x: Tensor) -> Tensor:
        """Compress images, shape (N, 1, H, W) or (N, 3, H, W) in [0, 1]."""
        return compressed(x, [self.quality] * len(x))
