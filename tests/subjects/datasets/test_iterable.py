import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from unnerve.core.errors import InvalidData
from unnerve.subjects.data import examples
from unnerve.subjects.datasets._spool import spooled
from unnerve.subjects.datasets._tables.rows import FileRows
from unnerve.subjects.datasets.iterable import iterable


def stream(count: int) -> Iterator[tuple[torch.Tensor, str]]:
    for row in range(count):
        yield torch.full((2, 3), row / 1000), "dog" if row % 2 else "cat"


def test_takes_one_pass_over_a_generator() -> None:
    found = iterable(stream(600))
    assert (len(found), found.shape, found.classes) == (600, (2, 3), ("cat", "dog"))
    assert found.batch([599, 0]).inputs[:, 0, 0].tolist() == pytest.approx([0.599, 0])
    assert np.array_equal(found.label_array(), np.arange(600) % 2)  # type: ignore[arg-type]
    assert len(examples(stream(600), limit=5)) == 5


@pytest.mark.parametrize(
    "item",
    [
        [0.5, 0.25, 1],
        np.zeros(3, np.float32),
        {"pixel_values": torch.zeros(3)},
        (torch.zeros(3),),
        Image.new("L", (3, 4)),
    ],
)
def test_items_without_labels(item: Any) -> None:
    found = iterable(iter([item] * 3))
    assert (len(found), found.label_array()) == (3, None)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "the data set is empty"),
        (
            [torch.zeros(2), torch.zeros(3)],
            r"items must all be float32 of shape \(2,\), got float32 of shape \(3,\) at 1",
        ),
        ([(torch.zeros(2), 1), (torch.zeros(2), None)], "all items must have labels, or none, got none at 1"),
        (["text"], "items must be x, .* got str at 0"),
        ([[[1.0], [2.0, 3.0]]], r"items must be x, .* got \(list, list\) at 0"),
        ([torch.zeros(2, dtype=torch.int64)], "inputs must be uint8 or floating point, got int64 at 0"),
    ],
)
def test_problems_are_one_line(items: list[Any], message: str) -> None:
    with pytest.raises(InvalidData, match=f"iterable: {message}"):
        iterable(iter(items))


def test_many_rows_go_to_a_file_that_is_deleted_with_them() -> None:
    blocks = [np.full((10, 4), number, np.float32) for number in range(20)]
    rows = spooled(iter(blocks), "mine", in_memory=1000)
    assert isinstance(rows, FileRows)
    assert rows.shape == (200, 4)
    assert rows.read([199, 0, 55])[:, 0].tolist() == [19, 0, 5]
    path = rows.path
    assert path.stat().st_size == 200 * 4 * 4
    del rows
    gc.collect()
    assert not path.exists()


def test_a_pass_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    blocks = [*[np.zeros((10, 4), np.float32)] * 20, np.zeros((10, 5), np.float32)]
    with pytest.raises(
        InvalidData, match=r"must all be float32 of shape \(4,\), got float32 of shape \(5,\) after 200"
    ):
        spooled(iter(blocks), "mine", in_memory=1000)
    assert list(tmp_path.iterdir()) == []
