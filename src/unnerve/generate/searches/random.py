"""Random search: points drawn from the space, one population after the other (the baseline of every search)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import SearchSpace
from unnerve.core.streams import Streams

__all__ = ["Random"]


@dataclass(frozen=True)
class Random:
    """Fresh points in every iteration, whatever was found before.

    Parameters
    ----------
    population : int
        Points per seed and iteration, >= 1.
    iterations : int
        >= 1.

    References
    ----------
    Bergstra and Bengio, "Random Search for Hyper-Parameter Optimization", 2012.
    """

    population: int = 100
    iterations: int = 20
    small = ("population=7,iterations=6",)

    def __post_init__(self) -> None:
        for name in ("population", "iterations"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.population

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield points (A, P, ...); be sent (fitness (A, P), keep (A,))."""
        for iteration in range(self.iterations):
            _, keep = yield space.samples(centre, streams, iteration, self.population)
            if not bool(keep.all()):
                centre, streams = centre[keep], streams[keep.nonzero().flatten().tolist()]
