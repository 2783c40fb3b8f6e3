"""Shards that are read: whose they are and every byte is checked, before anything of them is parsed."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import pyarrow as pa

from unnerve.campaign._folder import Folder
from unnerve.campaign._tables import UNREADABLE, reads_inputs, unsealed_shard
from unnerve.campaign.outcome import SeedRecord
from unnerve.campaign.plan import Shard
from unnerve.campaign.sealing.distances import check_distances, read_for
from unnerve.campaign.sealing.seal import SealedAs, check_seal
from unnerve.core.errors import InvalidData
from unnerve.core.facts import RegionFacts
from unnerve.core.storage.printable import one_line

__all__ = ["DamagedShard", "FoundIn", "Sealing", "StoredShards"]

FoundIn = tuple[Shard, pa.Table, list[SeedRecord]]
"""A shard, its findings, and the records of its seeds."""


class DamagedShard(InvalidData):
    """A stored shard that is not what was written, or not this campaign's.

    Parameters
    ----------
    name : str
        Which one, and in which folder.
    reason : str
        What is wrong with it.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} is {reason}; --resume sets it aside and hunts its seeds again")
        self.name, self.reason = name, reason

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.name, self.reason)  # by its message alone it could not be made again elsewhere


@dataclass(frozen=True)
class Sealing:
    """The hash of a campaign's plan, its region, and the hash of its seeds."""

    plan: str
    region: RegionFacts
    seeds: str | None


@dataclass(frozen=True)
class StoredShards:
    """The shards of a folder, and what they are checked against.

    Parameters
    ----------
    folder : Folder
    sealing : Sealing
    """

    folder: Folder
    sealing: Sealing

    def read(
        self, shard: Shard, columns: list[str] | None, whole: bool = False, rows: Sequence[int] | None = None
    ) -> tuple[pa.Table, list[SeedRecord]]:
        """Read one, as the store does."""
        data = self._checked(shard, whole or reads_inputs(columns))
        return self._unpacked(shard, data, columns, whole, rows)

    def read_each(self, finished: Sequence[Shard], columns: list[str] | None) -> Iterator[FoundIn]:
        """Read one after the other; where inputs are read, the next is fetched and checked in the meantime."""
        if not reads_inputs(columns):  # a few kilobytes: to hand them to a thread would take longer
            yield from ((shard, *self.read(shard, columns)) for shard in finished)
            return
        # A thread, because hashing and reading leave the interpreter to others; one, so that two shards are in memory.
        with ThreadPoolExecutor(1) as ahead:
            coming = (ahead.submit(self._checked, shard, inputs=True) for shard in finished)
            after = next(coming, None)
            for shard in finished:
                assert after is not None, "one for every shard"
                data, after = after.result(), next(coming, None)
                yield shard, *self._unpacked(shard, data, columns)

    def _checked(self, shard: Shard, inputs: bool) -> bytes:
        """Return the bytes of a shard whose seal was checked; with those of its inputs or not."""
        name = f"shards/{shard.name}.parquet"
        try:
            data = self.folder.content(name)
        except OSError as problem:
            raise InvalidData(f"{self.folder.path}: {name} cannot be read: {problem.strerror or problem}") from problem
        with self._believed(shard):
            check_seal(data, SealedAs(self.sealing.plan, shard.name), inputs)
        return data

    def _unpacked(
        self,
        shard: Shard,
        data: bytes,
        columns: list[str] | None,
        whole: bool = False,
        rows: Sequence[int] | None = None,
    ) -> tuple[pa.Table, list[SeedRecord]]:
        with self._believed(shard):
            # A distance is read in any case: whoever reads something else of a finding relies on it, too.
            needed = None if not columns else list(dict.fromkeys([*columns, *read_for(self.sealing.region)]))
            table, records = unsealed_shard(data, needed, whole, rows)
            check_distances(table, self.sealing.region)
            if len(records) != shard.stop - shard.start:
                raise ValueError("it has not the seeds that were planned")
            return table if needed is None else table.select(columns), records

    @contextmanager
    def _believed(self, shard: Shard) -> Iterator[None]:
        """Name the shard with what is wrong about it."""
        try:
            yield
        except (*UNREADABLE, RecursionError, StopIteration) as problem:
            reason = one_line(str(problem).strip().splitlines()[0] if str(problem) else type(problem).__name__, 120)
            name = f"{self.folder.path}: shards/{shard.name}.parquet"
            raise DamagedShard(name, f"damaged or foreign ({reason})") from problem
