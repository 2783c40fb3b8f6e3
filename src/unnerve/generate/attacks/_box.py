"""The range of valid values that a region keeps to."""

from typing import Protocol, runtime_checkable

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Space

__all__ = ["bounds"]


@runtime_checkable
class _Boxed(Protocol):
    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


def bounds(space: Space, who: str) -> tuple[float, float]:
    """Return the least and the largest valid value, or raise if the region does not know them."""
    if not isinstance(space, _Boxed):
        raise InvalidSetting(f"{who} needs a region with low and high, got {type(space).__name__.lower()}")
    return space.low, space.high
