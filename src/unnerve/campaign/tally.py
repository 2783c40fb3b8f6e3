"""Counting what a campaign found: a fold over shards whose parts can be added in any grouping."""

from dataclasses import dataclass

import pyarrow as pa

from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import SeedRecord

__all__ = ["SeedTally", "Tally", "tally"]


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
    """

    id: str
    queries: int
    picks: int
    failing: int
    errors: tuple[int, ...]
    kinds: tuple[tuple[int, int], ...]
    failed: str | None


@dataclass(frozen=True)
class Tally:
    """What one method found, seed by seed; ``+`` joins disjoint sets of seeds.

    Parameters
    ----------
    method : str
    seeds : tuple of SeedTally
    """

    method: str
    seeds: tuple[SeedTally, ...] = ()

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.method, self.seeds + other.seeds)

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
            )
            for record in records
        ),
    )
