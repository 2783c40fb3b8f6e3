"""The columns of a table: what they are called, what they hold, and what a valid row is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["KINDS", "Feature", "Features"]

KINDS = ("real", "whole", "category")
"""Numbers, whole numbers, and codes of values that are neither more nor less than each other."""


@dataclass(frozen=True)
class Feature:
    """One column.

    Parameters
    ----------
    name : str
    kind : str
        One of ``KINDS``.
    low, high : float
        The least and the largest value in the data.
    spread : float
        Their standard deviation, >= 0.
    values : tuple of str
        Of a category that is stored as text: what the codes 0, 1, ... stand for.
    """

    name: str
    kind: str
    low: float
    high: float
    spread: float
    values: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether a hunt may change it: categories, and columns in which all values are equal, are left alone."""
        return self.kind != "category" and self.spread > 0

    def shown(self, value: float) -> str | int | float:
        """Return a value as the table has it: the name behind a code, a whole number, or a number."""
        if self.values and value == int(value) and 0 <= value < len(self.values):
            return self.values[int(value)]
        return int(value) if self.kind == "whole" and value == int(value) else value


@dataclass(frozen=True)
class Features:
    """The columns of a table, in the order in which a model takes them.

    Parameters
    ----------
    columns : tuple of Feature
    """

    columns: tuple[Feature, ...]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(one.name for one in self.columns)

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the largest value of all columns."""
        low, high = min(one.low for one in self.columns), max(one.high for one in self.columns)
        # A table whose values are all equal still needs a range that is not empty.
        return (low, high) if low < high else (low, low + 1)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the columns as JSON."""
        return [asdict(one) | {"values": list(one.values)} for one in self.columns]

    @classmethod
    def from_json(cls, value: Sequence[Mapping[str, Any]]) -> "Features":
        """Read what :meth:`to_json` returned; raises KeyError, TypeError or ValueError."""
        return cls(tuple(_feature(one) for one in value))


def _feature(given: Mapping[str, Any]) -> Feature:
    name, kind, values = given["name"], given["kind"], given["values"]
    if not isinstance(name, str) or kind not in KINDS or not all(isinstance(one, str) for one in values):
        raise TypeError("a feature must have a name, a kind and names of values")
    low, high, spread = (float(given[key]) for key in ("low", "high", "spread"))
    if not all(map(math.isfinite, (low, high, spread))):
        raise ValueError("the bounds and the spread of a feature must be finite numbers")
    return Feature(name, kind, low, high, spread, tuple(values))
