"""A campaign as a folder: ``campaign.json``, and one parquet file per finished shard, written whole or not at all."""

import json
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import IO, Any, TypeVar

import numpy as np
import pyarrow as pa

from unnerve.campaign._folder import Folder
from unnerve.campaign._tables import (
    SCHEMA,
    UNREADABLE,
    outcome_of,
    read_labels,
    read_seeds,
    seed_blocks,
    write_seeds,
    write_shard,
)
from unnerve.campaign.differences import differences
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Shard, StoredPlan, shards
from unnerve.campaign.records import decisive, plan_to_json
from unnerve.campaign.sealing.checkpoint import Checkpoint
from unnerve.campaign.sealing.header import FORMAT, DamagedHeader, read_header, write_header
from unnerve.campaign.sealing.notes import read_note, remade_note, write_note
from unnerve.campaign.sealing.seal import SealedAs, digest, file_digest, unsealed
from unnerve.campaign.sealing.stored_shards import DamagedShard, FoundIn, Sealing, StoredShards
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.progress import show_work
from unnerve.core.storage.limits import TEXT

__all__ = ["FORMAT", "SCHEMA", "DamagedHeader", "DamagedShard", "Store"]

T = TypeVar("T")
_FOLDERS = ("shards", "timings", "checkpoints")


class Store:
    """The folder of a campaign, on a disk or on anything that fsspec can reach.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = Folder(path)

    @property
    def is_local(self) -> bool:
        """Whether the campaign lies on a disk of this machine."""
        return self.folder.is_local

    @property
    def address(self) -> str:
        """The path in full, for a process with another working folder."""
        return self.folder.address

    def held(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes away; on stores without locks they do the same work twice."""
        self.folder.make(*_FOLDERS)
        return self.folder.held("campaign.lock")

    def check_free(self) -> None:
        """Raise if there is a campaign, or what is left of one, already."""
        if self.folder.holds("campaign.json"):
            raise OutputRefused(f"{self.path} holds a campaign; --resume goes on with it, or choose another --out")
        if any(name.endswith(".parquet") and not name.startswith(".") for name in self.folder.names("shards")):
            raise OutputRefused(f"{self.path} holds shards but no campaign.json; choose another --out")

    def begin(self, plan: StoredPlan, versions: dict[str, str], seeds: Examples, resume: bool) -> None:
        """Make the folder, or check that what is in it was begun with the same plan."""
        begun = resume and self.folder.holds("campaign.json")
        wanted = plan_to_json(plan)
        if begun:
            changes = differences(decisive(self.header()["plan"]), decisive(wanted))
            if changes:
                raise InvalidSetting(f"{self.path} was begun otherwise ({'; '.join(changes)}); choose another --out")
            self.folder.remove_dead_parts("", *_FOLDERS)
        else:
            self.check_free()
        self.folder.make(*_FOLDERS)
        if begun and self.folder.holds("seeds.parquet"):
            try:
                self._checked_seeds  # noqa: B018 - raises
            except InvalidData as problem:
                warnings.warn(f"{problem}; moved to {self.folder.set_aside('seeds.parquet')}", stacklevel=2)
        # Seeds before campaign.json: a folder with that file has all that a report needs.
        if not (begun and self.folder.holds("seeds.parquet")):
            self.folder.write("seeds.parquet", lambda file: write_seeds(file, seeds))
            if begun:  # another version of Arrow may write the same seeds in other bytes
                write_header(self.folder, {**unsealed(self.header()), "seeds": self._seeds_digest()})
        if not begun:
            parts = {"plan": wanted, "versions": versions, "classes": list(seeds.classes)}
            write_header(self.folder, {**parts, "seeds": self._seeds_digest()})

    def header(self) -> dict[str, Any]:
        """Return what ``campaign.json`` holds."""
        return read_header(self.folder)[0]

    def plan(self) -> StoredPlan:
        """Return the plan of the campaign."""
        return read_header(self.folder)[1]

    def finished(self, planned: Sequence[Shard]) -> list[Shard]:
        """Return those of the shards that are stored, in the same order."""
        there = self.folder.names("shards")
        return [shard for shard in planned if f"{shard.name}.parquet" in there]

    def holds(self, shard: Shard) -> bool:
        """Say whether a shard is stored, without a look at the others."""
        return self.folder.holds(f"shards/{shard.name}.parquet")

    def write(
        self, shard: Shard, method: str, outcome: Outcome, seconds: float = 0.0, halved: int | None = None
    ) -> None:
        """Store a finished shard; how it went goes to a file of its own, for that differs from run to run.

        Parameters
        ----------
        halved : int or None
            Inputs at a time, if memory ran out on the way.
        """
        went = {"seconds": round(seconds, 3)} | ({} if halved is None else {"memory_ran_out_inputs_at_a_time": halved})
        timing = json.dumps(went).encode()
        # Before the shard: a shard that is there is complete. Times may be lost, hence not durable.
        self.folder.write(f"timings/{shard.name}.json", lambda file: file.write(timing), durable=False)
        owner = SealedAs(self._sealing.plan, shard.name)
        self.folder.write(f"shards/{shard.name}.parquet", lambda file: write_shard(file, method, outcome, owner))
        self.keeper(shard).remove()

    def keeper(self, shard: Shard) -> Checkpoint:
        """Return where an unfinished pool is kept."""
        return Checkpoint(self.folder, SealedAs(self._sealing.plan, shard.name))

    def read(
        self,
        shard: Shard,
        columns: list[str] | None = None,
        whole: bool = False,
        rows: Sequence[int] | None = None,
    ) -> tuple[pa.Table, list[SeedRecord]]:
        """Return the findings of a shard, all columns or some, and the records of its seeds, if they can be believed.

        Its seal is checked: whose it is, and every byte of it, those of its inputs where inputs are read. ``whole``
        checks these in any case, and makes their content hashes again. ``rows`` says which findings, in this order;
        the content hashes of these are made again, too.
        """
        return self._shards.read(shard, columns, whole, rows)

    def read_each(self, planned: Sequence[Shard], columns: list[str] | None = None) -> Iterator[FoundIn]:
        """Yield those of the shards that are stored; where inputs are read, the next is checked in the meantime."""
        yield from self._shards.read_each(self.finished(planned), columns)

    def set_aside(self, shard: Shard) -> str:
        """Move a shard out of the way, to be looked at by whoever wants to know; return its new name."""
        return self.folder.set_aside(f"shards/{shard.name}.parquet")

    def strangers(self) -> list[str]:
        """Return the names of files among the shards that the plan does not know."""
        known = {f"{shard.name}.parquet" for shard in shards(self.plan())}
        found = (name for name in self.folder.names("shards") if name.endswith(".parquet") and not name.startswith("."))
        return sorted(f"shards/{name}" for name in set(found) - known)

    def outcome(self, shard: Shard) -> Outcome:
        """Return what a stored shard found, as it was written; every finding of it is checked."""
        return outcome_of(*self.read(shard, whole=True))

    def shards(self, columns: list[str] | None = None) -> Iterator[FoundIn]:
        """Yield every finished shard, in the plan's order."""
        for found in self.read_each(shards(self.plan()), columns):
            yield found
            show_work()

    def seconds(self, shard: Shard) -> float:
        """Return how long a shard took; 0 if that was lost."""
        try:
            seconds = float(json.loads(self.folder.content(f"timings/{shard.name}.json", TEXT).decode())["seconds"])
        except (*UNREADABLE, OverflowError, RecursionError):
            return 0.0
        return seconds if 0 <= seconds < math.inf else 0.0

    def seeds(self, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """Return the inputs of these seeds."""
        return self._of_seeds(lambda file: read_seeds(file, set(ids)))

    def seed_blocks(self) -> Iterator[tuple[list[str], np.ndarray]]:
        """Yield ids and inputs of all seeds, some at a time, in the plan's order."""
        self._checked_seeds  # noqa: B018 - once, before the first look
        try:
            with self.folder.opened("seeds.parquet") as file:
                yield from seed_blocks(file)
        except UNREADABLE as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem

    def labels(self) -> dict[str, int | None]:
        """Return the label of every seed, in the plan's order; None where the data has none."""
        return self._of_seeds(read_labels)

    def note(self, name: str, value: Mapping[str, Any]) -> None:
        """Keep what was worked out from the campaign as ``NAME.json``, in the place of an older one."""
        write_note(self.folder, self._sealing.plan, name, value)

    def noted(self, name: str, remade: bool = False) -> dict[str, Any] | None:
        """Return what was kept under a name; None if there is nothing.

        What is damaged raises; if it is ``remade`` anyway, it is set aside with a warning instead.
        """
        return (remade_note if remade else read_note)(self.folder, self._sealing.plan, name)

    def _of_seeds(self, read: Callable[[IO[bytes]], T]) -> T:
        self._checked_seeds  # noqa: B018 - once, before the first look
        try:
            with self.folder.opened("seeds.parquet") as file:
                return read(file)
        except (*UNREADABLE, RecursionError) as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem

    @cached_property
    def _checked_seeds(self) -> None:
        """Raise unless the seeds are those that the campaign began with."""
        try:
            if self._seeds_digest() != self._sealing.seeds:
                raise ValueError("they are not those that were written; --resume writes them again")
        except (*UNREADABLE, RecursionError) as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem

    def _seeds_digest(self) -> str:
        # A block at a time: the seeds of a campaign may be more than memory holds.
        with self.folder.opened("seeds.parquet") as file:
            return file_digest(file)

    @cached_property
    def _shards(self) -> StoredShards:
        return StoredShards(self.folder, self._sealing)

    @cached_property
    def _sealing(self) -> Sealing:
        """What stored files are checked against; it cannot change, and so is read once."""
        header, plan = read_header(self.folder)
        return Sealing(digest(decisive(header["plan"])), plan.region, header.get("seeds"))
