"""What a check of a stored campaign showed."""

from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from unnerve.core.results import Result

__all__ = ["Problem", "Verification"]


@dataclass(frozen=True)
class Problem:
    """Something in a campaign that is not as it says.

    Parameters
    ----------
    place : str
        A file of the campaign, and the finding in it.
    reason : str
    """

    place: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Result):
    """Whether a campaign is what it says.

    Parameters
    ----------
    campaign : str
        Where it lies.
    shards, findings : int
        Checked, damaged ones included as far as they could be counted.
    run_again : int or None
        Findings that were shown to the model again; None without a model.
    problems : tuple of Problem
        None if all held.
    notes : tuple of str
        What could not be checked, and why; other versions.
    """

    campaign: str
    shards: int
    findings: int
    run_again: int | None
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems

    def headline(self) -> str:
        """Return what was checked, in one line, and how much of it did not hold."""
        again = "not run again for want of the model" if self.run_again is None else f"{self.run_again:,} run again"
        found = "all held" if self.held else f"{len(self.problems):,} did not hold"
        return f"{self.campaign}: {self.shards:,} shards and {self.findings:,} findings checked, {again}: {found}"

    def text(self) -> str:
        """Return the headline, what did not hold, and what could not be checked, line by line."""
        wrong = [f"{one.place}: {one.reason}" for one in self.problems]
        return "\n".join([self.headline(), *wrong, *(f"note: {one}" for one in self.notes)])

    def table(self) -> pa.Table:
        """Return one row per problem."""
        schema = pa.schema([("place", pa.string()), ("reason", pa.string())])
        return pa.Table.from_pylist([asdict(one) for one in self.problems], schema=schema)

    def summary(self) -> dict[str, Any]:
        """Return all of it, as JSON."""
        return {**asdict(self), "held": self.held}
