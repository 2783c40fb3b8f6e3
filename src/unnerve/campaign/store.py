"""A campaign as a folder: ``campaign.json``, and one parquet file per finished shard, written whole or not at all."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, Any, TypeVar

import numpy as np
import pyarrow as pa

from unnerve.campaign._folder import ABSENT, Folder
from unnerve.campaign._tables import (
    SCHEMA,
    UNREADABLE,
    outcome_of,
    read_labels,
    read_seeds,
    read_shard,
    seed_blocks,
    stored_array,
    write_seeds,
    write_shard,
)
from unnerve.campaign.differences import differences
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Shard, StoredPlan, shards
from unnerve.campaign.records import decisive, plan_from_json, plan_to_json
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused

__all__ = ["FORMAT", "SCHEMA", "Store", "stored_array"]

FORMAT = 3
"""Of ``campaign.json`` and the shards; another number is refused, since what it means is not known here."""

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
        # Seeds before campaign.json: a folder with that file has all that a report needs.
        if not (begun and self.folder.holds("seeds.parquet")):
            self.folder.write("seeds.parquet", lambda file: write_seeds(file, seeds))
        if not begun:
            header = {"format": FORMAT, "plan": wanted, "versions": versions, "classes": list(seeds.classes)}
            self.folder.write("campaign.json", lambda file: file.write(json.dumps(header, indent=1).encode()))

    def header(self) -> dict[str, Any]:
        """Return what ``campaign.json`` holds."""
        try:
            header: dict[str, Any] = json.loads(self.folder.content("campaign.json"))
            if not isinstance(header, dict):
                raise TypeError("it must be an object")
            self._check_format(header.get("format", 1))
            plan_from_json(header["plan"])
            if not (isinstance(header["versions"], dict) and all(isinstance(name, str) for name in header["classes"])):
                raise TypeError("versions must be an object and classes a list of names")
        except ABSENT as problem:
            raise InvalidData(f"{self.path}: there is no campaign (campaign.json is missing)") from problem
        except (ValueError, KeyError, TypeError, RecursionError, InvalidSetting) as problem:
            raise InvalidData(f"{self.path}: campaign.json is damaged: {problem}") from problem
        return header

    def plan(self) -> StoredPlan:
        """Return the plan of the campaign."""
        return plan_from_json(self.header()["plan"])

    def finished(self, planned: Sequence[Shard]) -> list[Shard]:
        """Return those of the shards that are stored, in the same order."""
        there = self.folder.names("shards")
        return [shard for shard in planned if f"{shard.name}.parquet" in there]

    def holds(self, shard: Shard) -> bool:
        """Say whether a shard is stored, without a look at the others."""
        return self.folder.holds(f"shards/{shard.name}.parquet")

    def write(self, shard: Shard, method: str, outcome: Outcome, seconds: float = 0.0) -> None:
        """Store a finished shard; how long it took goes to a file of its own, for it differs from run to run."""
        timing = json.dumps({"seconds": round(seconds, 3)}).encode()
        # Before the shard: a shard that is there is complete. Times may be lost, hence not durable.
        self.folder.write(f"timings/{shard.name}.json", lambda file: file.write(timing), durable=False)
        self.folder.write(f"shards/{shard.name}.parquet", lambda file: write_shard(file, method, outcome))
        self.folder.remove(_checkpoint(shard))

    def keeper(self, shard: Shard) -> "Checkpoint":
        """Return where an unfinished pool is kept."""
        return Checkpoint(self, shard)

    def saved(self, shard: Shard) -> bytes | None:
        """Return where an unfinished pool stands, if that was stored."""
        try:
            return self.folder.content(_checkpoint(shard))
        except ABSENT:
            return None

    def save(self, shard: Shard, data: bytes) -> None:
        """Keep where an unfinished pool stands, in the place of what was kept before."""
        self.folder.write(_checkpoint(shard), lambda file: file.write(data))

    def read(self, shard: Shard, columns: list[str] | None = None) -> tuple[pa.Table, list[SeedRecord]]:
        """Return the findings of a shard, all columns or some, and the records of its seeds."""
        name = f"shards/{shard.name}.parquet"
        try:
            return read_shard(self.folder.content(name), columns)
        except (*UNREADABLE, RecursionError) as problem:
            raise InvalidData(f"{self.path}: {name} cannot be read; delete it and --resume the campaign") from problem

    def outcome(self, shard: Shard) -> Outcome:
        """Return what a stored shard found, as it was written."""
        return outcome_of(*self.read(shard))

    def shards(self, columns: list[str] | None = None) -> Iterator[tuple[Shard, pa.Table, list[SeedRecord]]]:
        """Yield every finished shard, in the plan's order."""
        for shard in self.finished(shards(self.plan())):
            yield shard, *self.read(shard, columns)

    def seconds(self, shard: Shard) -> float:
        """Return how long a shard took; 0 if that was lost."""
        try:
            return float(json.loads(self.folder.content(f"timings/{shard.name}.json"))["seconds"])
        except (*UNREADABLE, RecursionError):
            return 0.0

    def seeds(self, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """Return the inputs of these seeds."""
        return self._of_seeds(lambda file: read_seeds(file, set(ids)))

    def seed_blocks(self) -> Iterator[tuple[list[str], np.ndarray]]:
        """Yield ids and inputs of all seeds, some at a time, in the plan's order."""
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
        data = json.dumps(value, indent=1, allow_nan=False).encode()
        self.folder.write(f"{name}.json", lambda file: file.write(data))

    def noted(self, name: str) -> Any:
        """Return what was kept under a name; None if there is nothing."""
        try:
            return json.loads(self.folder.content(f"{name}.json"))
        except ABSENT:
            return None
        except (OSError, ValueError, RecursionError) as problem:
            raise InvalidData(f"{self.path}: {name}.json cannot be read: {problem}") from problem

    def _of_seeds(self, read: Callable[[IO[bytes]], T]) -> T:
        try:
            with self.folder.opened("seeds.parquet") as file:
                return read(file)
        except UNREADABLE as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem

    def _check_format(self, found: object) -> None:
        if found != FORMAT:
            raise InvalidData(
                f"{self.path} was written in format {json.dumps(found)[:40]}, and this version reads format {FORMAT}; "
                "run it again into another folder, or read it with the version that wrote it"
            )


class Checkpoint:
    """Where one pool of a campaign is kept while it is unfinished."""

    def __init__(self, store: Store, shard: Shard) -> None:
        self.store, self.shard = store, shard

    def load(self) -> bytes | None:
        """Return what was saved last, if anything was."""
        return self.store.saved(self.shard)

    def save(self, data: bytes) -> None:
        """Keep this in the place of what was saved before."""
        self.store.save(self.shard, data)


def _checkpoint(shard: Shard) -> str:
    return f"checkpoints/{shard.name}.safetensors"
