from io import BytesIO

import pyarrow.parquet as pq
import pytest
import torch

from unnerve.campaign._tables import (
    _rows_at_once,
    outcome_of,
    read_labels,
    read_seeds,
    read_shard,
    seed_blocks,
    unsealed_shard,
    write_seeds,
    write_shard,
)
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.sealing.seal import SealedAs, sealed
from unnerve.core.errors import InvalidData
from unnerve.core.findings import Finding, finding_id
from unnerve.subjects.datasets.tensors import tensors

FINDING = Finding(
    finding_id("a", b"\0\1\2\3" * 4),
    "a",
    None,
    0,
    1,
    0.5,
    0.75,
    4,
    0.25,
    0.125,
    7,
    1.5,
    b"\0\1\2\3" * 4,
    (1, 2, 2),
    "float32",
)
OWNER = SealedAs("plan", "shard")
SEEDS = (SeedRecord("a", 12, 5, 4), SeedRecord("b", 0, 0, 0, "raised: naïve"))


def test_what_was_stored_comes_back_as_it_was() -> None:
    told = FINDING._replace(parameters=(0.5, -1.0), evidence=(("entropy", 0.1), ("draws", 3.0)))
    for findings in ((), ((FINDING, 9), (FINDING._replace(label=3), 11)), ((told, 4),)):
        file = BytesIO()
        write_shard(file, "pgd", Outcome(findings, SEEDS), OWNER)
        assert outcome_of(*read_shard(file.getvalue(), None, OWNER)) == Outcome(findings, SEEDS)


def test_content_hashes_are_made_again_where_some_rows_or_all_are_looked_at() -> None:
    """Who reads all inputs relies on the seal of their bytes; who checks them, or shows some, has them hashed."""
    sound, wrong = FINDING, FINDING._replace(input=bytes(16))
    file = BytesIO()
    write_shard(file, "pgd", Outcome(((sound, 1), (wrong, 2), (sound, 3)), SEEDS), OWNER)
    assert read_shard(file.getvalue(), ["queries", "input"], OWNER, rows=[2, 0])[0]["queries"].to_pylist() == [3, 1]
    assert read_shard(file.getvalue(), None, OWNER)[0].num_rows == 3
    for whole, rows in ((True, None), (False, [0, 1])):
        with pytest.raises(ValueError, match="is not what its id was made of"):
            read_shard(file.getvalue(), None, OWNER, whole, rows)


def test_equal_values_of_a_small_file_are_not_unpacked_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parquet keeps equal values once: a table of 512 rows may be a thousand times its uncompressed size."""
    data = b"\1" * 2**18
    findings = tuple((FINDING._replace(id=finding_id("a", data), input=data), 1) for _ in range(400))
    file = BytesIO()
    write_shard(file, "pgd", Outcome(findings, (SeedRecord("a", 1, 1, 1),)), OWNER)
    monkeypatch.setattr("unnerve.campaign._tables._BLOCK", 2**21)
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 2**21)
    with pytest.raises(InvalidData, match=r"a table must unpack to <= 2,097,152 bytes, got [\d,]+"):
        read_shard(file.getvalue(), None, OWNER)
    parquet = pq.ParquetFile(BytesIO(file.getvalue()))
    assert parquet.metadata.row_group(0).total_byte_size < 2**20, "what it says of itself is not much"
    assert _rows_at_once(parquet, 512) <= 8


def test_tables_that_unpack_to_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger can seal what he likes: many equal inputs take a kilobyte in the file, and gigabytes in memory."""
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 2**21)
    data = b"\1" * 2**14
    findings = tuple((FINDING._replace(id=finding_id("a", data), input=data), 1) for _ in range(600))
    file = BytesIO()
    write_shard(file, "pgd", Outcome(findings, (SeedRecord("a", 1, 1, 1),)), OWNER)
    assert len(file.getvalue()) < 2**15
    with pytest.raises(InvalidData, match=r"a table must unpack to <= 2,097,152 bytes, got [\d,]+"):
        read_shard(file.getvalue(), None, OWNER)
    read_shard(file.getvalue(), ["id", "after"], OWNER)


def test_page_checksums_are_written_and_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the seal, which who means to deceive makes anew, and for other readers of the file."""

    def damaged(plain: bytes, owner: SealedAs) -> bytes:
        data = bytearray(plain)
        group = pq.ParquetFile(BytesIO(plain)).metadata.row_group(0)
        column = next(one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == "linf")
        # The last byte of the column's pages is a value, not a header.
        data[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 1
        return sealed(bytes(data), owner)

    monkeypatch.setattr("unnerve.campaign._tables.sealed", damaged)
    file = BytesIO()
    write_shard(file, "pgd", Outcome(((FINDING, 9),), SEEDS), OWNER)
    assert read_shard(file.getvalue(), ["l2"], OWNER, whole=True)[0].num_rows == 1, "its seal holds"
    with pytest.raises(OSError, match="CRC"):
        read_shard(file.getvalue(), ["linf"], OWNER, whole=True)


def test_nothing_is_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads ahead may outlive Python, and aborts the process then (decisions/006)."""
    opened: list[dict[str, object]] = []
    original = pq.ParquetFile

    def recorded(source: object, **settings: object) -> pq.ParquetFile:
        opened.append(settings)
        return original(source, **settings)

    shard, seeds = BytesIO(), BytesIO()
    write_shard(shard, "pgd", Outcome(((FINDING, 9),), SEEDS), OWNER)
    write_seeds(seeds, tensors(torch.zeros(2, 1, 2, 2), torch.zeros(2, dtype=torch.int64)))
    monkeypatch.setattr(pq, "ParquetFile", recorded)
    unsealed_shard(shard.getvalue(), None)
    for read in (read_labels, seed_blocks, lambda file: read_seeds(file, {"0"})):
        list(read(seeds))
    assert [one["pre_buffer"] for one in opened] == [False] * 4
