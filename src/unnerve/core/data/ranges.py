"""The range of valid values: what data hold, and what regions and methods measure in."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

from unnerve.core.errors import InvalidSetting

__all__ = [
    "UNIT",
    "Bounded",
    "Ranged",
    "ValueRange",
    "bounds",
    "checked_range",
    "following",
    "range_text",
    "rounding",
    "span",
]

ValueRange = tuple[float, float]
"""The least and the largest valid value."""

UNIT: ValueRange = (0.0, 1.0)
"""The usual range: that of images, and that of the parameters of perturbations."""

R = TypeVar("R")


@runtime_checkable
class Bounded(Protocol):
    """A region that keeps inside a range of valid values."""

    @property
    def low(self) -> float:
        """The least valid value."""
        ...

    @property
    def high(self) -> float:
        """The largest valid value."""
        ...


@runtime_checkable
class Ranged(Protocol):
    """A model that may expect values of another range than the data's."""

    @property
    def expects(self) -> ValueRange | None:
        """The range of the values that it was made for; None for whatever the data hold."""
        ...

    def taking(self, held: ValueRange) -> Any:
        """Return the same model for data that hold values of this range, which it brings to what it expects."""
        ...


def bounds(space: object, who: str) -> ValueRange:
    """Return the least and the largest valid value, or raise if the region does not know them."""
    if not isinstance(space, Bounded):
        raise InvalidSetting(f"{who} needs a region with low and high, got {type(space).__name__.lower()}")
    return space.low, space.high


def span(space: object) -> float:
    """Return the width of a region's range of valid values, in which methods state lengths; 1 if it has none."""
    return space.high - space.low if isinstance(space, Bounded) else 1.0


def rounding(low: float, high: float) -> float:
    """Return what the rounding errors of values in a range are proportional to; 1 for [0, 1]."""
    # Not the width alone: values between 1000 and 1001 are rounded like thousands.
    return max(high - low, abs(low), abs(high))


def checked_range(low: float, high: float, name: str) -> ValueRange:
    """Return a range as floats, or raise unless it is one; ``name`` begins the message."""
    if not -float("inf") < low < high < float("inf"):
        raise InvalidSetting(f"{name} must be two numbers, low < high, got {low}, {high}")
    return float(low), float(high)


def range_text(held: ValueRange) -> str:
    """Return a range in words: ``[0, 255]``."""
    return f"[{held[0]:g}, {held[1]:g}]"


def following(region: R, held: ValueRange) -> R:
    """Return a region whose bounds are those of the data, if it was made with the usual ones, 0 and 1.

    Parameters
    ----------
    region : Space
        Any region; one without fields ``low`` and ``high``, or with bounds of its own, stays as it is.
    held : (float, float)
        The range of the data's values.
    """
    if not is_dataclass(region) or isinstance(region, type):
        return region
    known = {field.name for field in fields(region)}
    # Bounds that a user wrote down are meant; only the usual ones follow the data.
    if not {"low", "high"} <= known or (getattr(region, "low"), getattr(region, "high")) != UNIT:  # noqa: B009
        return region
    value: Any = region
    followed: R = replace(value, low=held[0], high=held[1])
    return followed
