import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.cifar10 import cifar10

PIXELS = np.arange(4 * 3072, dtype=np.uint32).astype(np.uint8).reshape(4, 3072)
LABELS = [3, 1, 4, 9]


def _python_version(folder: Path, protocol: int = 2) -> Path:
    inner = folder / "cifar-10-batches-py"
    inner.mkdir()
    content: dict[Any, Any] = {
        b"data": PIXELS,
        b"labels": LABELS,
        b"batch_label": b"x",
        b"filenames": [b"a"] * 4,
    }
    for name in [f"data_batch_{number}" for number in range(1, 6)] + ["test_batch"]:
        (inner / name).write_bytes(pickle.dumps(content, protocol))
    names = {b"label_names": [f"class {number}".encode() for number in range(10)]}
    (inner / "batches.meta").write_bytes(pickle.dumps(names, protocol))
    return inner


@pytest.mark.parametrize("protocol", range(6))
def test_reads_the_python_version(tmp_path: Path, protocol: int) -> None:
    inner = _python_version(tmp_path, protocol)
    for folder in (tmp_path, inner):
        examples = cifar10(folder)
        batch = examples.batch(range(4))
        assert batch.labels is not None
        assert batch.labels.tolist() == LABELS
        assert np.array_equal((batch.inputs.numpy() * 255).round(), PIXELS.reshape(4, 3, 32, 32))
        assert examples.classes[9] == "class 9"
    assert len(cifar10(tmp_path, "train")) == 20


def test_reads_the_binary_version(tmp_path: Path) -> None:
    records = np.column_stack([np.array(LABELS, np.uint8), PIXELS])
    for name in [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]:
        (tmp_path / name).write_bytes(records.tobytes())
    examples = cifar10(tmp_path)
    batch = examples.batch(range(4))
    assert batch.labels is not None
    assert batch.labels.tolist() == LABELS
    assert np.array_equal((batch.inputs.numpy() * 255).round(), PIXELS.reshape(4, 3, 32, 32))
    assert examples.classes[0] == "airplane"
    assert len(cifar10(tmp_path, "train")) == 20


@pytest.mark.parametrize("last", [True, False])
def test_reads_npz(tmp_path: Path, last: bool) -> None:
    x = PIXELS.reshape(4, 3, 32, 32)
    np.savez_compressed(tmp_path / "test.npz", x=x.transpose(0, 2, 3, 1) if last else x, y=np.array(LABELS))
    batch = cifar10(tmp_path).batch([0])
    assert np.array_equal((batch.inputs.numpy() * 255).round(), x[:1])


def test_refuses_an_unknown_split(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="split must be train or test, got 'all'"):
        cifar10(tmp_path, "all")


def test_refuses_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"cifar10: test_batch, test_batch\.bin or test\.npz must be in the folder"):
        cifar10(tmp_path)


def test_names_a_missing_batch(tmp_path: Path) -> None:
    (_python_version(tmp_path) / "data_batch_3").unlink()
    with pytest.raises(InvalidData, match="cifar10: data_batch_3 must be in the folder"):
        cifar10(tmp_path, "train")


def test_refuses_a_truncated_binary(tmp_path: Path) -> None:
    (tmp_path / "test_batch.bin").write_bytes(b"\0" * 3072)
    with pytest.raises(InvalidData, match=r"test_batch\.bin: must have a multiple of 3073 bytes, got 3072"):
        cifar10(tmp_path)


def nested(depth: int) -> list[Any]:
    """Return a list that takes a few bytes, and would be an array of 2 ** depth numbers."""
    inner: list[Any] = [0, 1]
    for _ in range(depth):
        inner = [inner, inner]
    return inner


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({b"labels": LABELS}, "must hold 'data', uint8 of shape"),
        ({b"data": PIXELS[:, :100], b"labels": LABELS}, "must hold 'data', uint8 of shape"),
        ({b"data": PIXELS}, "must hold 'labels', a list of labels"),
        ({b"data": PIXELS, b"labels": LABELS[:3]}, "4 inputs but 3 labels"),
        ({b"data": PIXELS, b"labels": [0.5] * 4}, "labels must be integers, got 0.5 in row 1"),
        ({b"data": PIXELS, b"labels": [[1], [2, 3], 1, 1]}, "must hold 'labels', a list of labels"),
        ({b"data": PIXELS, b"labels": nested(40)}, "must hold 'labels', a list of labels"),
        ({b"data": PIXELS, b"labels": [0, 1, 2, 10]}, r"labels must be in \[0, 9\], got 10"),
    ],
)
def test_refuses_wrong_content(tmp_path: Path, content: dict[bytes, Any], message: str) -> None:
    (tmp_path / "test_batch").write_bytes(pickle.dumps(content, 2))
    with pytest.raises(InvalidData, match=message):
        cifar10(tmp_path)


def test_refuses_wrong_names(tmp_path: Path) -> None:
    inner = _python_version(tmp_path)
    (inner / "batches.meta").write_bytes(pickle.dumps({b"label_names": 10}, 2))
    with pytest.raises(InvalidData, match=r"batches\.meta: must hold 'label_names'"):
        cifar10(tmp_path)


@pytest.mark.data
def test_the_real_files(real_data: Path) -> None:
    examples = cifar10(real_data / "cifar10")
    assert examples.shape == (3, 32, 32)
    labels = examples.label_array()
    assert labels is not None
    assert np.bincount(labels).tolist() == [1000] * 10
    assert examples.classes[labels[0]] == "cat"
