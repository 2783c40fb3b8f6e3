"""What a paper claims, what it printed, and what we measured."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import pyarrow as pa

from unnerve.core.errors import InvalidSetting
from unnerve.core.results import Result
from unnerve.measure.curves.exponential_fit import ExponentialFit

__all__ = ["Claim", "Figure", "Reproduction", "Scatter", "Series", "Table", "Verdict", "table_number"]

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")

Verdict = Literal["held", "partly", "not held", "cannot be decided"]


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
        Interval of our figure, where there is one figure that comes from like things drawn alike.
    held : bool or None
        Whether our measurement supports the claim; None if partly, or if it cannot be decided.
    verdict : str
        ``held``, ``partly``, ``not held``, or ``cannot be decided`` with these data.
    rule : str
        What decided, in words that do not depend on the figures.
    place : str
        Where the paper says it; ``beyond the papers`` if no paper did.
    quote : str
        The paper's words; empty beyond the papers.
    """

    claim: str
    paper: str
    ours: str
    ci95: tuple[float, float] | None
    held: bool | None
    verdict: Verdict
    rule: str
    place: str
    quote: str


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

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that the paper gives it: those of "Table 3 / II: ..." are 3 and 2; none without one."""
        head, colon, _ = self.title.partition(":")
        words = head.removeprefix("Table ").split(" / ") if colon and head.startswith("Table ") else []
        return tuple(table_number(word) for word in words)


@dataclass(frozen=True)
class Series:
    """What a figure shows of one thing.

    Parameters
    ----------
    name : str
    x, y : tuple of float
        Of equal length; ``x`` of bars are words.
    kind : str
        ``line``, ``points`` or ``bars``.
    ci95 : tuple of (float, float), or None
        Around each ``y``.
    """

    name: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float, ...]
    kind: Literal["line", "points", "bars"] = "line"
    ci95: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, regenerated.

    Parameters
    ----------
    title : str
    x, y : str
        What the axes count, with units.
    series : tuple of Series
    """

    title: str
    x: str
    y: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Scatter:
    """How Eff of a network's inputs lies along each metric's order: what a ranking paper's figures are drawn from.

    Parameters
    ----------
    network, data : str
    tries : int
        Perturbed copies per input, which Eff is a share of.
    eff : tuple of N floats
    scores : dict of str to tuple of N floats
        By metric; higher is more suspect.
    fits : dict of str to ExponentialFit
        By metric, of Eff against normalised rank; all NaN where no fit was possible.
    """

    network: str
    data: str
    tries: int
    eff: tuple[float, ...]
    scores: Mapping[str, tuple[float, ...]]
    fits: Mapping[str, ExponentialFit]


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A paper regenerated.

    Parameters
    ----------
    paper : str
    size : str
        What was run, in a sentence.
    claims : tuple of Claim
    tables : tuple of Table
    cells : tuple
        The result of every part, in the paper's own types.
    skipped : tuple of str
        What was not run, and why.
    figures : tuple of Figure
        Those that say all themselves.
    scatters : tuple of Scatter
        Drawn where there are no figures: the ranking papers'.
    """

    paper: str
    size: str
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    cells: tuple[object, ...] = field(repr=False)
    skipped: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    scatters: tuple[Scatter, ...] = field(default=(), repr=False)

    def table(self) -> pa.Table:
        """Return one row per claim."""
        rows = [
            {"claim": one.claim, "paper": one.paper, "ours": one.ours, "held": one.held, "verdict": one.verdict}
            for one in self.claims
        ]
        return pa.Table.from_pylist(rows)

    def headline(self) -> str:
        """Return how many claims have which verdict, in one line."""
        counts = self.verdicts()
        held = f"{counts.pop('held')} of {len(self.claims)} claims of {self.paper} held"
        others = [f"{number} {verdict}" for verdict, number in counts.items() if number]
        return f"{', '.join([held, *others])} ({self.size})"

    def verdicts(self) -> dict[str, int]:
        """Return how many claims have each verdict."""
        counts = Counter(one.verdict for one in self.claims)
        return {verdict: counts[verdict] for verdict in get_args(Verdict)}

    def summary(self) -> dict[str, Any]:
        """Return claims and tables as JSON."""
        return {
            "paper": self.paper,
            "size": self.size,
            "claims": [vars(claim) for claim in self.claims],
            "tables": [vars(table) for table in self.tables],
            "skipped": list(self.skipped),
        }


def table_number(text: str) -> int:
    """Return the number of a paper's table, arabic or roman: 3 of ``3`` and of ``III``."""
    word = text.strip().upper()
    if word in _ROMAN:
        return 1 + _ROMAN.index(word)
    if not word.isdecimal():
        raise InvalidSetting(f"table must be a number, got {text}")
    return int(word)
