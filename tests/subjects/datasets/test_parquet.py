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
