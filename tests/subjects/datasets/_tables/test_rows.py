import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._tables.rows import ArrayRows, FileRows, arranged

ARRAY = np.arange(20 * 6, dtype=np.float32).reshape(20, 2, 3)


@pytest.fixture
def file_rows(tmp_path: Path) -> FileRows:
    (tmp_path / "rows").write_bytes(b"header" + ARRAY.tobytes() + b"trailer")
    return FileRows(tmp_path / "rows", 6, ARRAY.shape, ARRAY.dtype)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.integers(0, 19)))
def test_files_are_read_like_arrays(file_rows: FileRows, rows: list[int]) -> None:
    assert np.array_equal(file_rows.read(rows), ARRAY[np.array(rows, dtype=np.int64)])
    assert np.array_equal(ArrayRows(ARRAY).read(rows), file_rows.read(rows))


@pytest.mark.parametrize("rows", [range(20), range(3, 9), range(9, 3, -2), range(0), range(4, 4)])
def test_ranges(file_rows: FileRows, rows: range) -> None:
    assert np.array_equal(file_rows.read(rows), ARRAY[list(rows)].reshape(-1, 2, 3))
    assert np.array_equal(ArrayRows(ARRAY).read(rows), file_rows.read(rows))


@pytest.mark.parametrize("rows", [[20], [-1], range(18, 22)])
def test_rows_outside_are_refused(file_rows: FileRows, rows: list[int]) -> None:
    with pytest.raises(IndexError):
        file_rows.read(rows)


def test_rows_travel_to_other_processes(file_rows: FileRows) -> None:
    again = pickle.loads(pickle.dumps(file_rows))  # noqa: S301
    assert np.array_equal(again.read([4]), ARRAY[[4]])


def test_changing_a_batch_leaves_the_data_alone() -> None:
    examples = Examples("x", ArrayRows(np.zeros((4, 2), np.float32)))
    examples.batch(range(4)).inputs.fill_(1)
    examples.batch([1, 2]).inputs.fill_(1)
    assert examples.batch(range(4)).inputs.sum() == 0


def test_read_only_and_reversed_arrays() -> None:
    frozen = np.zeros((4, 2), np.float32)
    frozen.flags.writeable = False
    assert Examples("x", ArrayRows(frozen)).batch(range(4)).inputs.shape == (4, 2)
    assert Examples("x", ArrayRows(np.eye(3)[::-1])).batch(range(3)).inputs[0, 2] == 1


@pytest.mark.parametrize(
    ("stored", "shape"),
    [
        ((5, 28, 28), (5, 28, 28)),
        ((5, 1, 100), (5, 1, 100)),
        ((5, 8, 6, 3), (5, 3, 8, 6)),
        ((5, 8, 6, 1), (5, 1, 8, 6)),
        ((5, 3, 8, 6), (5, 3, 8, 6)),
        ((5, 3, 32, 3), (5, 3, 32, 3)),
        ((5, 10), (5, 10)),
        ((5, 2, 8, 8, 3), (5, 2, 8, 8, 3)),
    ],
)
def test_images_are_arranged(stored: tuple[int, ...], shape: tuple[int, ...]) -> None:
    rows = arranged(ArrayRows(np.random.default_rng(0).random(stored)))
    assert rows.shape == shape
    assert rows.read([1, 2]).shape == (2, *shape[1:])


def test_channels_move_to_the_front() -> None:
    array = np.random.default_rng(0).random((2, 8, 6, 3))
    assert arranged(ArrayRows(array)).read([1])[0, 2, 5, 4] == array[1, 5, 4, 2]
