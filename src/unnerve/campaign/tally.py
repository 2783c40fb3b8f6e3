"""Counting what a campaign found: a fold over shards whose parts can be added in any grouping."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import SeedRecord
from unnerve.core.facts import MethodFacts

__all__ = ["SeedTally", "Shortage", "Tally", "shortage", "tally"]


@dataclass(frozen=True)
class SeedTally:
    """What was found from one seed.

    Parameters
    ----------
    id : str
    queries, picks, failing : int
    errors : tuple of int
        Queries spent when each distinct error was found, in order.
    kinds : tuple of (int, int)
        (wrong class, queries spent when it was first reached).
    failed : str or None
    doubted : int
        Inputs that failed once and not every time.
    nearest : float or None
        How near the nearest miss came, if nothing was found; see :class:`unnerve.campaign.outcome.SeedRecord`.
    """

    id: str
    queries: int
    picks: int
    failing: int
    errors: tuple[int, ...]
    kinds: tuple[tuple[int, int], ...]
    failed: str | None
    doubted: int = 0
    nearest: float | None = None


@dataclass(frozen=True)
class Shortage:
    """A budget that does not cover one step: the method was not tried, and so is neither better nor worse than others.

    Parameters
    ----------
    needs, got : int
        Queries per seed.
    """

    needs: int
    got: int

    def __str__(self) -> str:
        return f"has too few queries for one step: needs {self.needs:,} queries per seed, got {self.got:,}"


@dataclass(frozen=True)
class Tally:
    """What one method found, seed by seed; ``+`` joins disjoint sets of seeds.

    Parameters
    ----------
    method : str
    seeds : tuple of SeedTally
    shortage : Shortage or None
        Why it could not begin, if that is so.
    """

    method: str
    seeds: tuple[SeedTally, ...] = ()
    shortage: Shortage | None = None

    def __add__(self, other: "Tally") -> "Tally":
        # All shards of a method have one budget, so each that knows of a shortage knows the same.
        return Tally(self.method, self.seeds + other.seeds, self.shortage or other.shortage)

    def counts(self) -> Counts:
        """Add up what was found."""
        hunted = [seed for seed in self.seeds if seed.failed is None]
        errors, categories = sum(len(one.errors) for one in hunted), sum(len(one.kinds) for one in hunted)
        return Counts.of(self.seeds, errors, categories, sum(bool(one.errors) for one in hunted))


def tally(method: str, table: pa.Table, records: list[SeedRecord]) -> Tally:
    """Count one shard."""
    errors: dict[str, list[int]] = {record.id: [] for record in records}
    kinds: dict[str, dict[int, int]] = {record.id: {} for record in records}
    columns = (table[name].to_pylist() for name in ("seed_id", "after", "queries"))
    # Shards hold findings seed by seed; curves need them in the order in which the budget was spent.
    for seed, after, queries in sorted(zip(*columns, strict=True), key=lambda row: row[2]):
        errors[seed].append(queries)
        kinds[seed].setdefault(after, queries)
    return Tally(
        method,
        tuple(
            SeedTally(
                record.id,
                record.queries,
                record.picks,
                record.failing,
                tuple(errors[record.id]),
                tuple(kinds[record.id].items()),
                record.failed,
                record.doubted,
                record.nearest,
            )
            for record in records
        ),
    )


def shortage(method: MethodFacts, queries: int | None, seeds: Sequence[SeedTally]) -> Shortage | None:
    """Return what a method lacks that proposed nothing because the budget does not cover one step."""
    if queries is None or method.least is None or method.least <= queries or any(seed.picks for seed in seeds):
        return None
    return Shortage(method.least, queries)
