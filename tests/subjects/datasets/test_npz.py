import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unnerve.core.errors import InvalidData, InvalidSetting, UserError
from unnerve.subjects.datasets import _archive
from unnerve.subjects.datasets._tables.rows import ArrayRows, FileRows
from unnerve.subjects.datasets.npz import npz


def _saved(folder: Path, packed: bool = False, **arrays: Any) -> Path:
    path = folder / "data.npz"
    (np.savez_compressed if packed else np.savez)(path, **arrays)
    return path


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_reads_what_was_saved(tmp_path: Path, packed: bool, dtype: Any, order: Any) -> None:
    x = np.asarray(np.random.default_rng(0).integers(0, 2, (9, 3, 8, 8)), dtype=dtype, order=order)
    examples = npz(_saved(tmp_path, packed, x=x, y=np.arange(9)))
    batch = examples.batch([8, 1, 2])
    assert np.array_equal(batch.inputs.numpy(), x[[8, 1, 2]].astype(np.float32) / (255 if dtype == np.uint8 else 1))
    assert batch.labels is not None
    assert batch.labels.tolist() == [8, 1, 2]


@pytest.mark.parametrize(("packed", "kind"), [(False, FileRows), (True, ArrayRows)])
def test_stored_arrays_stay_on_the_disk(tmp_path: Path, packed: bool, kind: type) -> None:
    assert isinstance(npz(_saved(tmp_path, packed, x=np.zeros((2, 5)))).source, kind)


def test_labels_and_class_names_are_optional(tmp_path: Path) -> None:
    x = np.zeros((2, 5), np.float32)
    assert npz(_saved(tmp_path, x=x)).labels is None
    named = npz(_saved(tmp_path, x=x, y=np.array([0, 1], np.uint8), classes=np.array(["cat", "dog"])))
    assert named.classes == ("cat", "dog")
    assert npz(_saved(tmp_path, x=x, classes=np.array([b"cat"]))).classes == ("cat",)


def test_lzma_and_zip64_members(tmp_path: Path) -> None:
    path, x = tmp_path / "data.npz", np.ones((2, 5), np.float32)
    for compression in (zipfile.ZIP_LZMA, zipfile.ZIP_STORED):
        with zipfile.ZipFile(path, "w", compression) as file, file.open("x.npy", "w", force_zip64=True) as member:
            np.save(member, x)
        assert npz(path).batch([1]).inputs.sum() == 5


def test_splits(tmp_path: Path) -> None:
    path = _saved(tmp_path, x_train=np.zeros((3, 5)), y_train=np.arange(3), x_val=np.zeros((2, 5)))
    assert (len(npz(path, "train")), len(npz(path, "val"))) == (3, 2)
    with pytest.raises(InvalidData, match="must hold an array 'x_test', found: x_train, y_train, x_val"):
        npz(path, "test")


@pytest.mark.parametrize("stored_range", [(-1.0, 1.0), (-0.42421296, 2.8214867), (0, 255), (1e-3, 3.7)])
def test_values_keep_their_range(tmp_path: Path, stored_range: tuple[float, float]) -> None:
    x = np.linspace(*stored_range, 1000, dtype=np.float32).reshape(10, 100)
    batch = npz(_saved(tmp_path, x=x), stored_range=stored_range).batch(range(10))
    assert np.array_equal(batch.inputs.numpy(), x)
    assert batch.value_range == stored_range


@pytest.mark.parametrize("stored_range", [(1.0, 1.0), (2.0, 1.0), (0.0, float("nan")), (0.0, float("inf"))])
def test_refuses_a_wrong_range(tmp_path: Path, stored_range: tuple[float, float]) -> None:
    with pytest.raises(InvalidSetting, match="`stored_range` must be two numbers, low < high"):
        npz(_saved(tmp_path, x=np.zeros((2, 5))), stored_range=stored_range)


def test_refuses_a_range_for_bytes(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"floating-point data, but .*data\.npz is stored as uint8"):
        npz(_saved(tmp_path, x=np.zeros((2, 5), np.uint8)), stored_range=(0, 255))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": np.arange(3)}, "must hold an array 'x', found: y"),
        ({}, "must hold an array 'x', found: none"),
        ({"x": np.zeros((3, 2)), "y": np.arange(2)}, "3 inputs but 2 labels"),
        ({"x": np.zeros((3, 2)), "y": np.full(3, 0.5)}, "labels must be integers, got 0.5 in row 1"),
        ({"x": np.zeros((3, 2)), "y": np.full(3, np.nan)}, "every input must have a label, got nan in row 1"),
        ({"x": np.zeros((3, 2)), "y": np.eye(3, dtype=int)}, r"labels must have the shape \(N,\), got \(3, 3\)"),
        ({"x": np.zeros((3, 2)), "y": np.array([0, -1, 2])}, "labels must be >= 0, got -1"),
        ({"x": np.zeros((0, 2))}, "the data set is empty"),
        ({"x": np.float64(1)}, r"inputs must have the shape \(N, \.\.\.\), got \(\)"),
        ({"x": np.zeros(3)}, r"inputs must have the shape \(N, \.\.\.\), got \(3,\)"),
        ({"x": np.zeros((3, 2), int)}, "inputs must be uint8 or floating point, got int64"),
        ({"x": np.zeros((3, 2), complex)}, "inputs must be uint8 or floating point, got complex128"),
        ({"x": np.array([[None, "text"]])}, "x must be an array of plain values, got pickled objects"),
        ({"x": np.zeros((3, 2)), "y": np.array([1, None, 2])}, "y must be an array of plain values, got pickled"),
        ({"x": np.zeros((3, 2)), "classes": np.arange(3)}, "classes must be one row of names, got int64"),
    ],
)
def test_refuses_wrong_arrays(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidData, match=rf"data\.npz: {message}"):
        npz(_saved(tmp_path, **arrays))


def test_refuses_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"npz: the file must exist, got '.*none\.npz'"):
        npz(tmp_path / "none.npz")
    with pytest.raises(InvalidData, match=r"npz: the file must exist, got .*, a folder"):
        npz(tmp_path)


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04 garbage"])
def test_refuses_what_is_no_npz(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.npz").write_bytes(content)
    with pytest.raises(InvalidData, match=r"data\.npz: must be an npz file"):
        npz(tmp_path / "data.npz")


@pytest.mark.parametrize("packed", [False, True])
def test_damage_anywhere_is_one_clear_error(tmp_path: Path, packed: bool) -> None:
    random = np.random.default_rng(0)
    path = _saved(tmp_path, packed, x=random.random((4, 8)).astype(np.float32), y=np.arange(4))
    whole = path.read_bytes()
    expected = npz(path).batch(range(4)).inputs
    messages = []
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged if random.integers(2) else whole[: random.integers(len(whole))])
        try:
            examples = npz(path)
            assert np.array_equal(examples.batch(range(4)).inputs, expected)
        except UserError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert all(message.startswith(str(path)) for message in messages)


def test_a_checksum_is_not_computed_over_huge_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros((100, 200))
    path = _saved(tmp_path, x=zeros)
    path.write_bytes(path.read_bytes().replace(zeros.tobytes(), np.ones_like(zeros).tobytes()))
    with pytest.raises(InvalidData, match=r"data\.npz: .*CRC"):
        npz(path)
    monkeypatch.setattr(_archive, "_CHECKED", 100)
    assert npz(path).batch([0]).inputs.sum() == 200


def test_values_outside_the_range_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"data\.npz: inputs must lie in \[0, 1\]"):
        npz(_saved(tmp_path, x=np.full((2, 5), 7.0))).batch([0])


def _lying(path: Path, kind: int, size: int) -> Path:
    """Write an npz file whose array says 80 bytes, and unpacks to so many."""
    np.savez(path, x=np.zeros((2, 5)))
    with zipfile.ZipFile(path) as file:
        sound = file.read("x.npy")
    with zipfile.ZipFile(path, "w", kind) as file:
        with file.open("x.npy", "w") as member:
            member.write(sound + bytes(size))
        file.filelist[0].file_size = len(sound)
    return path


@pytest.mark.parametrize(("kind", "size"), [(zipfile.ZIP_DEFLATED, 2**26), (zipfile.ZIP_LZMA, 2**27)])
def test_what_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path, kind: int, size: int) -> None:
    path = _lying(tmp_path / "data.npz", kind, size)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidData, match="must be an npz file, and not damaged"):
            npz(path)
        assert tracemalloc.get_traced_memory()[1] < 0.75 * size
    finally:
        tracemalloc.stop()


def test_compressions_without_bounds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="x must be stored, deflated or LZMA, got another compression"):
        npz(_lying(tmp_path / "data.npz", zipfile.ZIP_BZIP2, 1000))
