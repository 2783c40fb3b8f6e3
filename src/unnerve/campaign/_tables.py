"""The tables of a campaign: what its parquet files hold, and the suspicion with which they are read."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unnerve.campaign.inputs import stored_array
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.sealing.seal import KEY, Seal, SealedAs, check_seal, sealed
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.findings import Finding, finding_id
from unnerve.core.storage.limits import check_unpacked

__all__ = [
    "SCHEMA",
    "UNREADABLE",
    "outcome_of",
    "read_labels",
    "read_seeds",
    "read_shard",
    "reads_inputs",
    "seed_blocks",
    "unsealed_shard",
    "write_seeds",
    "write_shard",
]

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
        ("parameters", pa.list_(pa.float32())),
        ("method", pa.string()),
        ("queries", pa.int64()),
    ]
)
"""Columns of a shard, one row per finding; the numbers that an oracle stores beside them follow, as float64."""

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
_HASHED = ["id", "seed_id", "input"]
# Seeds per block: a few megabytes of images, so that no campaign is in memory as a whole.
_ROWS = 1000
_AT_ONCE = 512
_BLOCK = 2**29
"""Bytes that are unpacked at a time, at most, so that a limit is noticed soon after it is reached."""

UNREADABLE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, InvalidData)
"""What reading a damaged or foreign file may raise."""


def write_shard(file: IO[bytes], method: str, outcome: Outcome, owner: SealedAs) -> None:
    """Write what a shard found: a row per finding, and the records of its seeds beside them, under a seal."""
    findings, queries = [one for one, _ in outcome.findings], [spent for _, spent in outcome.findings]
    columns = dict(zip(Finding._fields, map(list, zip(*findings, strict=True)), strict=True)) if findings else {}
    columns |= {"method": [method] * len(findings), "queries": queries}
    noted = [dict(pairs) for pairs in columns.pop("evidence", [])]
    columns |= {name: [one[name] for one in noted] for name in (noted[0] if noted else ())}
    further = [pa.field(name, pa.float64()) for name in columns if name not in SCHEMA.names]
    records = json.dumps([vars(record) for record in outcome.seeds]).encode()
    schema = pa.schema([*SCHEMA, *further], {_SEEDS: records, KEY: Seal(owner.plan, owner.shard).to_bytes()})
    arrays = [pa.array(columns.get(field.name, []), field.type) for field in schema]
    plain = BytesIO()
    _write(plain, [pa.Table.from_arrays(arrays, schema=schema)], schema)
    file.write(sealed(plain.getvalue(), owner))


def read_shard(
    data: bytes,
    columns: list[str] | None,
    owner: SealedAs,
    whole: bool = False,
    rows: Sequence[int] | None = None,
) -> tuple[pa.Table, list[SeedRecord]]:
    """Read what :func:`write_shard` wrote, all columns or some; raises one of ``UNREADABLE`` if it is anything else.

    The seal is checked: all bytes of the file, those of its inputs where inputs are read. ``whole`` looks at them
    even if they are not read, has Parquet's own checksums compared, and makes the content hash of every input again.
    Of ``rows``, only these are returned, and only their hashes made again: who shows ten inputs of a thousand need not
    pay for all.
    """
    check_seal(data, owner, inputs=whole or reads_inputs(columns))
    return unsealed_shard(data, columns, whole, rows)


def reads_inputs(columns: list[str] | None) -> bool:
    """Say whether inputs are among the columns."""
    return columns is None or "input" in columns


def unsealed_shard(
    data: bytes, columns: list[str] | None, whole: bool = False, rows: Sequence[int] | None = None
) -> tuple[pa.Table, list[SeedRecord]]:
    """Read a shard whose seal was checked, see :func:`read_shard`."""
    # The bytes are those that were written, so that what was true of them then is true now: to compare their checksums
    # and to make every hash again costs more than to unpack them, and is left to who asks for the whole.
    file = _opened(BytesIO(data), whole)
    wanted = columns or file.schema_arrow.names
    hashed = "input" in wanted and (whole or rows is not None)
    names = list(dict.fromkeys([*wanted, *(_HASHED if hashed else ())]))
    _check_columns(file.schema_arrow, SCHEMA, [name for name in columns or SCHEMA.names if name in SCHEMA.names])
    if any(file.schema_arrow.field(name).type != pa.float64() for name in set(names) - set(SCHEMA.names)):
        raise TypeError("further columns must be numbers")
    table = _bounded(file, names)
    table = table if rows is None else table.take(pa.array(rows, pa.int64()))
    if any(table[name].null_count for name in names if name != "label"):
        raise ValueError("only labels may be missing")
    records = [_record(one) for one in json.loads(file.metadata.metadata[_SEEDS])]
    _check_owners(table, records)
    if hashed:
        _check_ids(table)
    # Without the metadata, which are this shard's seal and seeds: who joins the tables of shards would keep the
    # first's.
    return table.select(wanted).replace_schema_metadata(), records


def outcome_of(table: pa.Table, records: list[SeedRecord]) -> Outcome:
    """Return what was stored of a shard, as it was before."""
    further = [name for name in table.column_names if name not in SCHEMA.names]
    findings = []
    for row in table.to_pylist():
        row |= {"shape": tuple(row["shape"]), "parameters": tuple(row["parameters"])}
        row["evidence"] = tuple((name, row[name]) for name in further)
        findings.append((Finding(**{name: row[name] for name in Finding._fields}), row["queries"]))
    return Outcome(tuple(findings), tuple(records))


def write_seeds(file: IO[bytes], seeds: Examples) -> None:
    """Write the seeds of a campaign."""
    _write(file, _seed_tables(seeds), _SEED_SCHEMA)


def read_seeds(file: IO[bytes], wanted: set[str]) -> dict[str, np.ndarray]:
    """Read the inputs of some seeds, a block at a time."""
    found: dict[str, np.ndarray] = {}
    table = _opened(file, checked=True)
    _check_columns(table.schema_arrow, _SEED_SCHEMA, _SEED_SCHEMA.names)
    for part in table.iter_batches(_rows_at_once(table, _ROWS), use_threads=False):
        found.update(_chosen(part, wanted))
    return found


def seed_blocks(file: IO[bytes]) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yield ids and inputs of all seeds, a block at a time."""
    table = _opened(file, checked=True)
    _check_columns(table.schema_arrow, _SEED_SCHEMA, _SEED_SCHEMA.names)
    columns = ["id", "input", "shape", "dtype"]
    for part in table.iter_batches(_rows_at_once(table, _ROWS), columns=columns, use_threads=False):
        names = part["id"].to_pylist()
        yield names, np.stack([array for _, array in _chosen(part, set(names))])


def read_labels(file: IO[bytes]) -> dict[str, int | None]:
    """Read the label of every seed."""
    table = _bounded(_opened(file, checked=True), ["id", "label"])
    _check_columns(table.schema, _SEED_SCHEMA, ["id", "label"])
    return dict(zip(table["id"].to_pylist(), table["label"].to_pylist(), strict=True))


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


def _check_columns(found: pa.Schema, written: pa.Schema, columns: Sequence[str]) -> None:
    """Raise unless the columns are there, with the types they are written with."""
    for name in columns:
        if found.field(name).type != written.field(name).type:
            raise TypeError(f"{name} must be {written.field(name).type}, got {found.field(name).type}")


def _opened(file: IO[bytes], checked: bool) -> pq.ParquetFile:
    """Open a file of columns; the checksums of its pages are compared or not."""
    # Read ahead, its bytes are let go by a thread that may outlive Python, which aborts the process (decisions/006).
    return pq.ParquetFile(file, page_checksum_verification=checked, pre_buffer=False)


def _bounded(file: pq.ParquetFile, names: Sequence[str]) -> pa.Table:
    """Read some columns, a few rows at a time, and stop if they come to more than one table may hold.

    What the file says of its own size may be a lie, and a page of a kilobyte may stand for gigabytes of equal values.
    """
    groups = (file.metadata.row_group(place).total_byte_size for place in range(file.metadata.num_row_groups))
    check_unpacked(sum(groups), "a table")
    parts, size = [], 0
    # pyarrow's threads beside torch's abort the process at exit now and then, see decisions/006.
    for part in file.iter_batches(_rows_at_once(file, _AT_ONCE), columns=list(names), use_threads=False):
        size += part.nbytes
        check_unpacked(size, "a table")
        parts.append(part)
    schema = file.schema_arrow
    return pa.Table.from_batches(parts, pa.schema([schema.field(name) for name in names]))


def _rows_at_once(file: pq.ParquetFile, most: int) -> int:
    """Return how many rows to unpack at a time: fewer than ``most`` if they could come to more than a block.

    Parquet keeps equal values once, so that each row of a small file may be as large as its whole column.
    """
    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    sizes = (group.column(place).total_uncompressed_size for group in groups for place in range(group.num_columns))
    largest: int = max(sizes, default=1)
    return min(most, max(1, _BLOCK // max(1, largest)))


def _record(value: dict[str, Any]) -> SeedRecord:
    record = SeedRecord(**value)
    numbers = (record.queries, record.picks, record.failing, record.doubted)
    if not (isinstance(record.id, str) and isinstance(record.failed, str | None)):
        raise TypeError(value)
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise TypeError(value)
    if not (record.nearest is None or (type(record.nearest) is float and math.isfinite(record.nearest))):
        raise TypeError(value)
    return record


def _check_owners(table: pa.Table, records: list[SeedRecord]) -> None:
    """Raise if a finding belongs to a seed that the shard does not have."""
    if "seed_id" in table.column_names and set(table["seed_id"].unique().to_pylist()) - {one.id for one in records}:
        raise ValueError("seed_id")


def _check_ids(table: pa.Table) -> None:
    """Raise if an input is not the one that its content hash was made of."""
    for chunk in table.select(_HASHED).to_batches():
        ids, seeds, inputs = (chunk.column(place) for place in range(3))
        # Buffers of Arrow are hashed where they lie: a copy of every input would cost as much as its hash.
        for name, seed, data in zip(ids.to_pylist(), seeds.to_pylist(), inputs, strict=True):
            if finding_id(seed, data.as_buffer()) != name:
                raise ValueError(f"finding {name} is not what its id was made of")


def _write(file: IO[bytes], tables: Iterable[pa.Table], schema: pa.Schema) -> None:
    # Page checksums are what tells a flipped bit in seeds.parquet, whose reader looks at a block at a time.
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))


def _chosen(part: pa.RecordBatch, wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    for row, name in enumerate(part["id"].to_pylist()):
        if name in wanted:
            yield name, stored_array(*(part[key][row].as_py() for key in ("input", "shape", "dtype")))
