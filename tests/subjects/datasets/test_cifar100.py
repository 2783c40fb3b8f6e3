import pickle
from pathlib import Path

import numpy as np
import pytest

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets.cifar100 import cifar100

PIXELS = np.arange(3 * 3072, dtype=np.uint32).astype(np.uint8).reshape(3, 3072)


def test_reads_the_python_version(tmp_path: Path) -> None:
    inner = tmp_path / "cifar-100-python"
    inner.mkdir()
    content = {b"data": PIXELS, b"fine_labels": [99, 0, 5], b"coarse_labels": [1, 2, 3]}
    for name in ("train", "test"):
        (inner / name).write_bytes(pickle.dumps(content, 2))
    assert cifar100(tmp_path).classes == tuple(map(str, range(100)))
    (inner / "meta").write_bytes(pickle.dumps({b"fine_label_names": [b"apple"] * 100}, 2))
    examples = cifar100(tmp_path, "train")
    assert examples.classes == ("apple",) * 100
    labels = examples.label_array()
    assert labels is not None
    assert labels.tolist() == [99, 0, 5]


def test_reads_the_fine_labels_of_the_binary_version(tmp_path: Path) -> None:
    coarse, fine = np.array([1, 2, 3], np.uint8), np.array([99, 0, 5], np.uint8)
    (tmp_path / "test.bin").write_bytes(np.column_stack([coarse, fine, PIXELS]).tobytes())
    batch = cifar100(tmp_path).batch(range(3))
    assert batch.labels is not None
    assert batch.labels.tolist() == [99, 0, 5]
    assert np.array_equal((batch.inputs.numpy() * 255).round(), PIXELS.reshape(3, 3, 32, 32))


def test_reads_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "test.npz", x=PIXELS.reshape(3, 3, 32, 32), y=np.array([[99], [0], [5]]))
    assert len(cifar100(tmp_path)) == 3


def test_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="cifar100: the folder must exist"):
        cifar100(tmp_path / "nowhere")
