"""Fewer bits per value (Xu et al., "Feature Squeezing", NDSS 2018)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting

__all__ = ["BitDepth"]


@dataclass(frozen=True)
class BitDepth:
    r"""Round every value to one of :math:`2^b` equal levels of [0, 1]: :math:`\mathrm{round}(x (2^b - 1)) / (2^b - 1)`.

    Parameters
    ----------
    bits : int
        b, in [1, 16].

    References
    ----------
    Xu et al., "Feature Squeezing: Detecting Adversarial Examples in Deep Neural Networks", 2018.
    """

    bits: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= 16:
            raise InvalidSetting(f"bits must be in [1, 16], got {self.bits}")

    def __call__(self, x: Tensor) -> Tensor:
        """Round inputs, shape (N, ...) in [0, 1]."""
        levels = 2**self.bits - 1
        rounded: Tensor = (x * levels).round_().div_(levels)
        return rounded
