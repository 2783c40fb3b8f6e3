"""What a paper claims, what it printed, and what we measured."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Claim", "Reproduction", "Table"]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper beside our measurement.

    Parameters
    ----------
    claim : str
        In a sentence.
    paper, ours : str
        The printed figure and ours, each with what it counts.
    ci95 : (float, float) or None
        Interval of the mean of our figures over networks and data sets.
    held : bool
        Whether our measurement supports the claim.
    """

    claim: str
    paper: str
    ours: str
    ci95: tuple[float, float] | None
    held: bool


@dataclass(frozen=True)
class Table:
    """A table of the paper, regenerated.

    Parameters
    ----------
    title : str
    columns : tuple of str
    rows : tuple of tuple of str
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Reproduction:
    """A paper regenerated.

    Parameters
    ----------
    paper : str
    size : str
        What was run, in a sentence.
    claims : tuple of Claim
    tables : tuple of Table
    cells : tuple of dict
        Raw results, for figures.
    skipped : tuple of str
        What was not run, and why.
    """

    paper: str
    size: str
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    cells: tuple[dict[str, Any], ...] = field(repr=False)
    skipped: tuple[str, ...] = ()

    def summary(self) -> dict[str, Any]:
        """Return claims and tables as JSON."""
        return {
            "paper": self.paper,
            "size": self.size,
            "claims": [vars(claim) for claim in self.claims],
            "tables": [vars(table) for table in self.tables],
            "skipped": list(self.skipped),
        }
