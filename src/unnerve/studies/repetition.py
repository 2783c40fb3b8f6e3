"""One cell of a reproduction, measured again, beside the stored one and its stated spread."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unnerve.core.results import Result
from unnerve.studies.intervals.interval import Interval

__all__ = ["Agreement", "Repetition"]


@dataclass(frozen=True)
class Agreement:
    """A figure as it was stored, with its spread, and as it was measured again."""

    figure: str
    stored: Interval
    again: float

    @property
    def identical(self) -> bool:
        """Whether both are the same to the last digit that matters."""
        return abs(self.again - self.stored.mean) <= 1e-9 * max(1.0, abs(self.stored.mean))

    @property
    def agrees(self) -> bool:
        """Whether it lies within the stored interval."""
        return self.identical or self.stored.low <= self.again <= self.stored.high


@dataclass(frozen=True, repr=False)
class Repetition(Result):
    """A cell that was run again.

    Parameters
    ----------
    cell : str
    figures : tuple of Agreement
    """

    cell: str
    figures: tuple[Agreement, ...]

    @property
    def agrees(self) -> bool:
        """Whether every figure lies within its stored interval."""
        return all(one.agrees for one in self.figures)

    def table(self) -> pa.Table:
        """Return one row per figure."""
        return pa.Table.from_pylist(self._rows())

    def headline(self) -> str:
        """Return how many figures agree, in one line."""
        same = sum(one.identical for one in self.figures)
        within = sum(one.agrees for one in self.figures)
        word = "agrees" if self.agrees else "does not agree"
        return (
            f"{self.cell} {word} with the stored cell: {within} of {len(self.figures)} figures lie within their "
            f"intervals, {same} are identical"
        )

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {"cell": self.cell, "agrees": self.agrees, "figures": self._rows()}

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "figure": one.figure,
                "stored": one.stored.mean,
                "ci95": list(one.stored.ci95),
                "again": one.again,
                "identical": one.identical,
                "agrees": one.agrees,
            }
            for one in self.figures
        ]
