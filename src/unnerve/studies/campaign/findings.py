"""The findings of a campaign as data, method by method, read a shard at a time."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from unnerve.campaign.inputs import stored_inputs
from unnerve.campaign.plan import Shard
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["found_inputs"]


def found_inputs(campaign: Campaign, like: Examples) -> dict[str, Examples | None]:
    """Return what each method of a campaign found, by the method's label; None where it found nothing.

    Parameters
    ----------
    campaign : Campaign
    like : Examples
        Data of the same kind, for the range of its values.
    """
    shards: dict[str, list[tuple[Shard, int]]] = {label: [] for label in campaign.plan.labels}
    names: dict[str, list[str]] = {label: [] for label in campaign.plan.labels}
    for shard, table, _ in campaign.store.shards(["id"]):
        label = campaign.plan.labels[shard.method]
        if table.num_rows:
            shards[label].append((shard, table.num_rows))
            names[label].extend(table["id"].to_pylist())
    return {label: _examples(campaign, label, shards[label], names[label], like) for label in shards}


def _examples(
    campaign: Campaign, label: str, shards: Sequence[tuple[Shard, int]], names: Sequence[str], like: Examples
) -> Examples | None:
    if not shards:
        return None
    ends = tuple(accumulate(rows for _, rows in shards))
    rows = _Stored(campaign.store, [shard for shard, _ in shards], ends)
    return Examples(f"{label} in {campaign.store.path}", rows, names=names, value_range=like.value_range)


class _Stored:
    """Rows of some shards; the last shard read is kept, for rows are mostly asked for in order."""

    def __init__(self, store: Store, shards: Sequence[Shard], ends: Sequence[int]) -> None:
        self.store, self.shards, self.ends = store, shards, ends
        self._last: tuple[int, np.ndarray] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.ends[-1], *self._inputs(0).shape[1:])

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        return np.stack([self._row(row) for row in rows])

    def _row(self, row: int) -> np.ndarray:
        place = bisect_right(self.ends, row)
        found: np.ndarray = self._inputs(place)[row - (self.ends[place - 1] if place else 0)]
        return found

    def _inputs(self, place: int) -> np.ndarray:
        if self._last is None or self._last[0] != place:
            table, _ = self.store.read(self.shards[place], ["input", "shape", "dtype"])
            self._last = place, stored_inputs(table)
        return self._last[1]
