import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from unnerve.core.errors import InvalidData
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.parquet import parquet


def test_reads_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    city = pa.array(["Ulm", "Bonn", "Ulm"]).dictionary_encode()
    table = pa.table({"age": [30, 50, 40], "weight": [60.5, 70.5, 80.5], "city": city, "target": ["x", "y", "x"]})
    pyarrow.parquet.write_table(table, path)
    found = parquet(path)
    assert found.features is not None
    assert [(one.name, one.kind) for one in found.features.columns] == [
        ("age", "whole"),
        ("weight", "real"),
        ("city", "category"),
    ]
    assert found.features.columns[2].values == ("Ulm", "Bonn"), "a categorical type keeps its order"
    assert found.batch([1]).inputs.tolist() == [[50, 70.5, 1]]
    assert found.classes == ("x", "y")
    assert examples(f"{path},features=weight", label="age").shape == (1,)


def test_problems_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"garbage")
    with pytest.raises(InvalidData, match=r"t\.parquet: must be a Parquet file, and not damaged"):
        parquet(path)
    path.write_bytes(b"")
    with pytest.raises(InvalidData, match=r"t\.parquet: must be a Parquet file, and not damaged"):
        parquet(path)
    pyarrow.parquet.write_table(pa.table({"a": [1.0, np.nan], "b": [1, 2]}), path)
    with pytest.raises(InvalidData, match="cells must be finite numbers, got nan in row 2, column 'a'"):
        parquet(path)
    pyarrow.parquet.write_table(pa.table({"a": [[1.0], [2.0]]}), path)
    with pytest.raises(InvalidData, match="the column 'a' must hold numbers, got list"):
        parquet(path)


def test_a_file_cut_off_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": np.arange(10_000) / 7, "b": np.arange(10_000)}), path)
    content = path.read_bytes()
    path.write_bytes(content[:2000] + b"\0" * 2000 + content[4000:])
    with pytest.raises(InvalidData, match=r"t\.parquet: "):
        parquet(path)


def test_tables_of_too_many_rows_or_numbers_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal values take no room in the file: 200 million rows are a megabyte."""
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [1.0] * 1000, "b": [2.0] * 1000}), path)
    monkeypatch.setattr("unnerve.subjects.datasets.parquet.table_examples", lambda *_: pytest.fail("it was read"))
    monkeypatch.setattr("unnerve.core.storage.limits.CELLS", 1999)
    with pytest.raises(InvalidData, match=r"t\.parquet: a table must have <= 1,999 numbers, got 2,000"):
        examples(str(path), limit=10)
    monkeypatch.setattr("unnerve.core.storage.limits.ROWS", 999)
    with pytest.raises(InvalidData, match=r"t\.parquet: a table must have <= 999 rows, got 1,000"):
        examples(str(path), limit=10)
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 10)
    monkeypatch.setattr("unnerve.core.storage.limits.ROWS", 1000)
    monkeypatch.setattr("unnerve.core.storage.limits.CELLS", 2000)
    with pytest.raises(InvalidData, match=r"t\.parquet: the column 'a' must unpack to <= 10 bytes"):
        parquet(path)


@pytest.mark.parametrize("role", ["label", "id", "city"])
@pytest.mark.parametrize("encoding", ["dictionary", "DELTA_BYTE_ARRAY"])
def test_a_long_text_is_not_unpacked_for_every_row(
    role: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rows, long = tmp_path / "t.parquet", 4000, "x" * 20_000
    own = {} if encoding == "dictionary" else {"column_encoding": {role: encoding}, "use_dictionary": False}
    texts = [long] * (rows - 1) + ["y"]
    pyarrow.parquet.write_table(pa.table({"a": np.arange(rows) / 7, role: texts}), path, **own)
    monkeypatch.setattr("unnerve.subjects.datasets.parquet._BYTES", 2**22)
    usual, watched = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(watched)
    tracemalloc.start()
    try:
        found = parquet(path, categories=role if role == "city" else None)
        in_python = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)
    assert max(watched.max_memory(), in_python) < 2**24 < rows * len(long) / 4
    assert len(found) == rows
    assert found.features is not None
    if role == "label":
        assert found.classes == (long, "y")
        assert found.batch([0, rows - 1]).labels.tolist() == [0, 1]  # type: ignore[union-attr]
    if role == "city":
        assert found.batch([0, rows - 1]).inputs[:, 1].tolist() == [0, 1]


def test_the_texts_that_are_kept_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    names = [f"{number:0100d}" for number in range(100)]
    pyarrow.parquet.write_table(pa.table({"a": np.arange(100) / 7, "id": names}), path)
    assert parquet(path).batch([99]).ids == (names[99],)
    monkeypatch.setattr("unnerve.subjects.datasets.parquet.check_unpacked", lambda *_: None)
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 9999)
    with pytest.raises(InvalidData, match=r"t\.parquet: its texts must unpack to <= 9,999 bytes, got 10,000"):
        parquet(path)


def test_a_cell_of_many_values_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0], "label": [[1], [2]]}), path)
    with pytest.raises(InvalidData, match="the column 'label' must hold numbers or texts, got list"):
        parquet(path)


def test_coded_texts_must_not_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for wrong in ("", None):
        pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0, 3.0], "label": ["x", "y", wrong]}), path)
        with pytest.raises(InvalidData, match="cells must not be empty, got none in row 3, column 'label'"):
            parquet(path)


def test_rows_need_no_names(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for names in (["x", None, None], pa.array([None] * 3, pa.string())):
        pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0, 3.0], "id": names}), path)
        assert parquet(path).batch([2]).ids == ("2",)
