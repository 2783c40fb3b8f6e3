"""A campaign as a folder: ``campaign.json``, and one parquet file per finished shard, written whole or not at all."""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from io import BytesIO
from typing import IO, Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from unnerve.campaign._lock import locked
from unnerve.campaign.plan import Plan, Shard, difference, shards
from unnerve.campaign.run import Outcome, SeedRecord
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.examples import Examples

__all__ = ["SCHEMA", "Store", "stored_array"]

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

_SEED_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("label", pa.int64()),
        ("input", pa.binary()),
        ("shape", pa.list_(pa.int64())),
        ("dtype", pa.string()),
    ]
)
_SEEDS = b"unnerve.seeds"
_ROWS = 1000


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

    @property
    def is_local(self) -> bool:
        """Whether the campaign lies on a disk of this machine."""
        return isinstance(self._files, LocalFileSystem)

    @property
    def address(self) -> str:
        """The path in full, for a process with another working folder."""
        return str(self._root) if self.is_local else self.path

    def held(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes away; on stores without locks they do the same work twice."""
        if not self.is_local:
            return nullcontext()
        self._made()
        return locked(self._at("campaign.lock"), self.path)

    def begin(self, plan: Plan, versions: dict[str, str], seeds: Examples, resume: bool) -> None:
        """Make the folder, or check that what is in it was begun with the same plan."""
        if self._files.exists(self._at("campaign.json")):
            if not resume:
                raise OutputRefused(f"{self.path} holds a campaign; --resume goes on with it, or choose another --out")
            changes = difference(self.header()["plan"], plan.to_json())
            if changes:
                raise InvalidSetting(f"{self.path} was begun otherwise ({'; '.join(changes)}); choose another --out")
            return
        if self._files.glob(self._at("shards/*.parquet")):
            raise OutputRefused(f"{self.path} holds shards but no campaign.json; choose another --out")
        self._made()
        self._write("seeds.parquet", lambda file: _pour(file, _seed_tables(seeds), _SEED_SCHEMA))
        header = {"plan": plan.to_json(), "versions": versions, "classes": list(seeds.classes)}
        self._write("campaign.json", lambda file: file.write(json.dumps(header, indent=1).encode()))

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

    def finished(self, planned: Sequence[Shard]) -> list[Shard]:
        """Return those of the shards that are stored, in the same order."""
        self._files.invalidate_cache()
        try:
            there = {name.rpartition("/")[2] for name in self._files.ls(self._at("shards"), detail=False)}
        except FileNotFoundError:
            there = set()
        return [shard for shard in planned if f"{shard.name}.parquet" in there]

    def write(self, shard: Shard, method: str, outcome: Outcome, seconds: float = 0.0) -> None:
        """Store a finished shard; how long it took goes to a file of its own, for it differs from run to run."""
        rows = [{**one._asdict(), "method": method, "queries": queries} for one, queries in outcome.findings]
        records = json.dumps([vars(record) for record in outcome.seeds]).encode()
        schema = SCHEMA.with_metadata({_SEEDS: records})
        timing = json.dumps({"seconds": round(seconds, 3)}).encode()
        self._write(f"timings/{shard.name}.json", lambda file: file.write(timing))
        table = pa.Table.from_pylist(rows, schema=schema)
        self._write(f"shards/{shard.name}.parquet", lambda file: _pour(file, [table], schema))

    def read(self, shard: Shard, columns: list[str] | None = None) -> tuple[pa.Table, list[SeedRecord]]:
        """Return the findings of a shard, all columns or some, and the records of its seeds."""
        name = f"shards/{shard.name}.parquet"
        try:
            table = pq.read_table(BytesIO(self._files.cat_file(self._at(name))), columns=columns, use_threads=False)
            records = [SeedRecord(**record) for record in json.loads(table.schema.metadata[_SEEDS])]
        except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError) as problem:
            raise InvalidData(f"{self.path}: {name} cannot be read; delete it and --resume the campaign") from problem
        return table, records

    def shards(self, columns: list[str] | None = None) -> Iterator[tuple[Shard, pa.Table, list[SeedRecord]]]:
        """Yield every finished shard, in the plan's order."""
        for shard in self.finished(shards(self.plan())):
            yield shard, *self.read(shard, columns)

    def seconds(self, shard: Shard) -> float:
        """Return how long a shard took; 0 if that was lost."""
        try:
            return float(json.loads(self._files.cat_file(self._at(f"timings/{shard.name}.json")))["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0.0

    def seeds(self, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """Return the inputs of these seeds."""
        wanted, found = set(ids), dict[str, np.ndarray]()
        try:
            with self._files.open(self._at("seeds.parquet"), "rb") as file:
                for part in pq.ParquetFile(file).iter_batches(_ROWS, use_threads=False):
                    found.update(_chosen(part, wanted))
        except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError) as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem
        return found

    def labels(self) -> dict[str, int | None]:
        """Return the label of every seed, in the plan's order; None where the data has none."""
        try:
            with self._files.open(self._at("seeds.parquet"), "rb") as file:
                table = pq.read_table(file, columns=["id", "label"], use_threads=False)
        except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError) as problem:
            raise InvalidData(f"{self.path}: seeds.parquet cannot be read: {problem}") from problem
        return dict(zip(table["id"].to_pylist(), table["label"].to_pylist(), strict=True))

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _made(self) -> None:
        try:
            for folder in ("shards", "timings"):
                self._files.makedirs(self._at(folder), exist_ok=True)
        except OSError as problem:
            raise OutputRefused(f"cannot write to {self.path}: {problem.strerror or problem}") from problem

    def _write(self, name: str, pour: Callable[[IO[bytes]], object]) -> None:
        """Write to a temporary name, then rename; on object stores a single put is all or nothing already."""
        folder, _, file_name = self._at(name).rpartition("/")
        # Hidden, so that whoever reads the folder as one data set passes over what a crash left.
        part = f"{folder}/.{file_name}.{secrets.token_hex(4)}.part"
        try:
            with self._files.open(part, "wb") as file:
                pour(file)
                file.flush()
                if self.is_local:
                    os.fsync(file.fileno())
            self._files.mv(part, self._at(name))
        except OSError as problem:
            raise OutputRefused(f"cannot write {self.path}/{name}: {problem.strerror or problem}") from problem
        finally:
            with suppress(OSError):
                self._files.rm_file(part)


def stored_array(data: bytes, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Return an input from its bytes; only float32 is stored, so nothing else is believed."""
    if dtype != "float32":
        raise InvalidData(f"stored inputs must be float32, got {dtype!r}")
    return np.frombuffer(data, dtype=np.float32).reshape(shape)


def _seed_tables(seeds: Examples) -> Iterator[pa.Table]:
    for batch in seeds.batches(_ROWS):
        labels = [None] * len(batch) if batch.labels is None else batch.labels.tolist()
        columns = {
            "id": batch.ids,
            "label": labels,
            "input": [row.tobytes() for row in batch.inputs.numpy()],
            "shape": [list(seeds.shape)] * len(batch),
            "dtype": ["float32"] * len(batch),
        }
        yield pa.Table.from_pydict(columns, schema=_SEED_SCHEMA)


def _pour(file: IO[bytes], tables: Iterable[pa.Table], schema: pa.Schema) -> None:
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)


def _chosen(part: pa.RecordBatch, wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    for row, name in enumerate(part["id"].to_pylist()):
        if name in wanted:
            yield name, stored_array(*(part[key][row].as_py() for key in ("input", "shape", "dtype")))
