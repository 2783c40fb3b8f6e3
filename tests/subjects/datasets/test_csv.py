from pathlib import Path

import numpy as np
import pytest

from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.subjects.datasets import csv as module
from unnerve.subjects.datasets.csv import csv

TABLE = """id,age,income,smoker,city,label
p1,30,1000.5,true,Ulm,no
p2,50,2000.5,false,Bonn,yes
p3,40,3000.5,true,Ulm,no
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def test_columns_have_names_ranges_and_kinds(file: Path) -> None:
    found = csv(file, categories="city")
    assert found.ids() == ("p1", "p2", "p3")
    assert found.classes == ("no", "yes")
    assert np.array_equal(found.label_array(), [0, 1, 0])  # type: ignore[arg-type]
    assert found.features is not None
    age, income, smoker, city = found.features.columns
    assert (age.name, age.kind, age.low, age.high) == ("age", "whole", 30, 50)
    assert age.spread == pytest.approx(np.std([30, 50, 40]))
    assert (income.kind, income.low, income.high) == ("real", 1000.5, 3000.5)
    assert (smoker.kind, smoker.low, smoker.high) == ("whole", 0, 1)
    assert (city.kind, city.values) == ("category", ("Bonn", "Ulm"))
    assert not city.changes
    batch = found.batch(range(3)).inputs
    assert batch.tolist() == [[30, 1000.5, 1, 1], [50, 2000.5, 0, 0], [40, 3000.5, 1, 1]]
    assert found.value_range == (0, 3000.5)


def test_columns_can_be_chosen(file: Path) -> None:
    found = csv(file, label="smoker", features="income+age")
    assert found.batch([1]).inputs.tolist() == [[2000.5, 50]]
    assert np.array_equal(found.label_array(), [1, 0, 1])  # type: ignore[arg-type]
    assert csv(file, label="none", features=["age"]).label_array() is None
    assert csv(file, features="age", label="city").classes == ("Bonn", "Ulm")


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators(file: Path, separator: str) -> None:
    file.write_text(TABLE.replace(",", separator))
    assert csv(file, categories="city").shape == (4,)


def test_blocks_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 2000)
    values = np.random.default_rng(0).normal(50, 3, 2000).round(3)
    lines = [
        f"{number % 3 if number < 1999 else 0.5},{value},{'ba'[number % 2]},{number % 5}"
        for number, value in enumerate(values)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["n,value,kind,label", *lines]))
    found = csv(tmp_path / "t.csv", categories="kind")
    assert found.features is not None
    number, value, kind = found.features.columns
    assert number.kind == "real", "the last value is not whole, though those of the first block are"
    assert value.spread == pytest.approx(values.std(), rel=1e-9)
    assert [value.low, value.high] == [float(np.float32(one)) for one in (values.min(), values.max())]
    assert kind.values == ("a", "b")
    batch = found.batch([0, 1, 1999]).inputs
    assert batch[:, 2].tolist() == [1, 0, 0], "codes are alphabetical, not by the order in which they came"
    assert np.array_equal(found.label_array(), np.arange(2000) % 5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a table with names of columns: Empty CSV file"),
        ("a,b\n", "the data set is empty"),
        ("a,b,a\n1,2,3\n", "every column must have a name of its own, got 'a' twice"),
        ("5.1,3.5,1\n4.9,3.0,0\n", r"the first line must name the columns, got 5\.1, 3\.5, 1"),
        ("a,b\n1,2\n3,\n5,6\n", "cells must not be empty, got none in row 2, column 'b'"),
        ("a,b\n1,2\nNaN,4\n", "cells must not be empty, got none in row 2, column 'a'"),
        ("a,b\n1,2\n1,inf\n", "cells must be finite numbers, got inf in row 2, column 'b'"),
        ("a,b\n1,2\n1,1e60\n", r"cells must be finite numbers, got 1e\+60 in row 2, column 'b'"),
        ("a,b,label\n1,2,x\n1,2,\n", "cells must not be empty, got none in row 2, column 'label'"),
        ("a,b,label\n1,2,0.5\n", r"labels must be integers, got 0\.5 in row 1"),
        ("name,label\nx,1\ny,0\n", "a table must have columns of numbers beside the label, found name, label$"),
        ("file,label\nx.png,1\n", "found file, label; a table of image files is read by imagefolder:DIR,table=FILE"),
        (
            "a,name\n1,x\n",
            "the column 'name' must hold numbers, got text; `label` name makes it the label, categories=name",
        ),
        ("a,when\n1,2024-01-01\n", r"the column 'when' must hold numbers, got date32\[day\]; choose others"),
        ("a,b\n1,2\n3,4,5\n", "Expected 2 columns, got 3"),
    ],
)
def test_problems_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidData, match=rf"t\.csv: .*{message}"):
        csv(tmp_path / "t.csv")


def test_a_later_text_is_named_by_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 1000)
    lines = ["a,b", *(f"{number},1" for number in range(500)), "x,1"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(InvalidData, match=r"t\.csv: In CSV column #0: .*'x'"):
        csv(tmp_path / "t.csv")


def test_unknown_columns_are_suggested(file: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown column of .*people\.csv 'incom'; did you mean income"):
        csv(file, features="age+incom")
    with pytest.raises(UnknownName, match=r"'lable'; did you mean label"):
        csv(file, label="lable")
    with pytest.raises(InvalidSetting, match="'label' is the label, so it must not be among the features"):
        csv(file, features="age+label")
    with pytest.raises(InvalidData, match="csv: the file must exist, got"):
        csv(file.parent / "none.csv")


def test_rows_are_counted_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "1.5,0\n" * 30)
    monkeypatch.setattr("unnerve.core.storage.limits.ROWS", 29)
    with pytest.raises(InvalidData, match=r"t\.csv: a table must have <= 29 rows, got 30"):
        csv(path)
