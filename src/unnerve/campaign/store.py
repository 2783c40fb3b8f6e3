"""A campaign as a folder: ``campaign.json``, and one parquet file per finished shard, written whole or not at all."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from unnerve.campaign.plan import Plan, Shard, difference
from unnerve.campaign.run import Outcome, SeedRecord
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused

__all__ = ["SCHEMA", "Store"]

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("seed_id", pa.string()),
        ("label", pa.int64()),
        ("before", pa.int64()),
        ("after", pa.int64()),
        ("confidence_before", pa.float32()),
        ("confidence_after", pa.float32()),
        ("l0", pa.int64()),
        ("l2", pa.float32()),
        ("linf", pa.float32()),
        ("step", pa.int64()),
        ("margin", pa.float32()),
        ("input", pa.binary()),
        ("shape", pa.list_(pa.int64())),
        ("dtype", pa.string()),
        ("method", pa.string()),
        ("queries", pa.int64()),
    ]
)
"""Columns of a shard, one row per finding."""

_SEEDS = b"unnerve.seeds"


class Store:
    """The folder of a campaign, on a disk or on anything that fsspec can reach.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._files, self._root = fsspec.core.url_to_fs(path)
        except (ValueError, ImportError) as problem:
            raise InvalidSetting(f"{path}: {problem}") from problem

    def begin(self, plan: Plan, versions: dict[str, str], resume: bool) -> None:
        """Make the folder, or check that what is in it was begun with the same plan."""
        if self._files.exists(self._at("campaign.json")):
            if not resume:
                raise OutputRefused(f"{self.path} holds a campaign; --resume goes on with it, or choose another --out")
            changes = difference(self.header()["plan"], plan.to_json())
            if changes:
                raise InvalidSetting(f"{self.path} was begun otherwise ({'; '.join(changes)}); choose another --out")
            return
        try:
            self._files.makedirs(self._at("shards"), exist_ok=True)
        except OSError as problem:
            raise OutputRefused(f"cannot write to {self.path}: {problem.strerror or problem}") from problem
        self._write("campaign.json", json.dumps({"plan": plan.to_json(), "versions": versions}, indent=1).encode())

    def header(self) -> dict[str, Any]:
        """Return what ``campaign.json`` holds."""
        try:
            header: dict[str, Any] = json.loads(self._files.cat_file(self._at("campaign.json")))
            Plan.from_json(header["plan"])
        except (FileNotFoundError, NotADirectoryError) as problem:
            raise InvalidData(f"{self.path}: there is no campaign (campaign.json is missing)") from problem
        except (ValueError, KeyError, TypeError) as problem:
            raise InvalidData(f"{self.path}: campaign.json is damaged: {problem}") from problem
        return header

    def plan(self) -> Plan:
        """Return the plan of the campaign."""
        return Plan.from_json(self.header()["plan"])

    def finished(self, shard: Shard) -> bool:
        """Say whether a shard is stored."""
        return bool(self._files.exists(self._at(f"shards/{shard.name}.parquet")))

    def write(self, shard: Shard, method: str, outcome: Outcome) -> None:
        """Store a finished shard."""
        rows = [{**one._asdict(), "method": method, "queries": queries} for one, queries in outcome.findings]
        seeds = json.dumps([vars(record) for record in outcome.seeds]).encode()
        table = pa.Table.from_pylist(rows, schema=SCHEMA.with_metadata({_SEEDS: seeds}))
        buffer = BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        self._write(f"shards/{shard.name}.parquet", buffer.getvalue())

    def read(self, shard: Shard) -> tuple[pa.Table, list[SeedRecord]]:
        """Return the findings of a shard and the records of its seeds."""
        name = f"shards/{shard.name}.parquet"
        try:
            table = pq.read_table(BytesIO(self._files.cat_file(self._at(name))), use_threads=False)
            records = [SeedRecord(**record) for record in json.loads(table.schema.metadata[_SEEDS])]
        except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError) as problem:
            raise InvalidData(f"{self.path}: {name} cannot be read; delete it and --resume the campaign") from problem
        return table, records

    def shards(self, planned: list[Shard]) -> Iterator[tuple[Shard, pa.Table, list[SeedRecord]]]:
        """Yield every finished shard, in the plan's order."""
        for shard in planned:
            if self.finished(shard):
                yield shard, *self.read(shard)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _write(self, name: str, data: bytes) -> None:
        """Write to a temporary name, then rename; on object stores a single put is all or nothing already."""
        folder, _, file_name = self._at(name).rpartition("/")
        # Hidden, so that whoever reads the folder as one data set passes over what a crash left.
        part = f"{folder}/.{file_name}.{os.getpid()}.part"
        try:
            with self._files.open(part, "wb") as file:
                file.write(data)
            self._files.mv(part, self._at(name))
        except OSError as problem:
            raise OutputRefused(f"cannot write {self.path}/{name}: {problem.strerror or problem}") from problem
        finally:
            with suppress(OSError):
                self._files.rm_file(part)
