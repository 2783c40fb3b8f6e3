"""An estimate and the interval around it."""

from dataclasses import dataclass

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95 % interval.

    Parameters
    ----------
    mean : float
    low, high : float
    """

    mean: float
    low: float
    high: float

    @property
    def ci95(self) -> tuple[float, float]:
        """The interval's ends."""
        return self.low, self.high
