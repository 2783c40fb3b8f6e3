import gzip
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets._tables.rows import ChannelsFirst, FileRows
from unnerve.subjects.datasets.mnist import mnist

IdxFolder = Callable[..., Path]
IMAGES, LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("split", ["train", "test"])
def test_reads_idx(idx_folder: IdxFolder, packed: bool, split: str) -> None:
    examples = mnist(idx_folder(packed=packed), split)
    assert (len(examples), examples.shape) == (7, (1, 28, 28))
    batch = examples.batch([5, 2, 3])
    assert batch.labels is not None
    assert batch.labels.tolist() == [5, 2, 3]
    assert batch.inputs[:, 0, 3, 4].mul(255).round().tolist() == [5, 2, 3]
    assert batch.ids == ("5", "2", "3")


def test_plain_files_stay_on_the_disk(idx_folder: IdxFolder) -> None:
    source = mnist(idx_folder()).source
    assert isinstance(source, ChannelsFirst)
    assert isinstance(source.stored, FileRows)


def test_finds_the_folder_of_torchvision(idx_folder: IdxFolder) -> None:
    folder = idx_folder()
    inner = folder / "MNIST" / "raw"
    inner.mkdir(parents=True)
    for file in folder.glob("*ubyte"):
        file.rename(inner / file.name)
    assert len(mnist(folder)) == 7


def test_reads_keras_npz(tmp_path: Path) -> None:
    x, y = np.zeros((4, 28, 28), np.uint8), np.arange(4)
    np.savez(tmp_path / "mnist.npz", x_train=x, y_train=y, x_test=x[:3], y_test=y[:3])
    assert len(mnist(tmp_path, "train")) == 4
    assert mnist(tmp_path).shape == (1, 28, 28)
    assert len(mnist(tmp_path / "mnist.npz", "test")) == 3


def test_reads_split_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "train.npz", x=np.zeros((4, 28, 28), np.uint8), y=np.arange(4))
    assert len(mnist(tmp_path, "train")) == 4
    with pytest.raises(InvalidData, match=r"test\.npz.*must be there"):
        mnist(tmp_path, "test")


def test_reads_the_only_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "some.npz", x=np.zeros((4, 28, 28), np.uint8), y=np.arange(4))
    assert len(mnist(tmp_path)) == 4


def test_refuses_an_unknown_split(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="split must be train or test, got 'x'"):
        mnist(tmp_path, "x")


def test_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"mnist: the folder must exist, got '.*nowhere'"):
        mnist(tmp_path / "nowhere")


def test_refuses_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=f"{IMAGES} .*must be in the folder"):
        mnist(tmp_path)


def test_names_the_missing_labels(idx_folder: IdxFolder) -> None:
    folder = idx_folder()
    (folder / LABELS).unlink()
    with pytest.raises(InvalidData, match=f"{LABELS} .*must be in the folder"):
        mnist(folder)


def test_refuses_truncated_gzip(idx_folder: IdxFolder) -> None:
    file = idx_folder(packed=True) / f"{IMAGES}.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InvalidData, match=rf"{IMAGES}\.gz: cannot be read, truncated or damaged"):
        mnist(file.parent)


def test_refuses_a_gzip_file_that_would_fill_the_memory(idx_folder: IdxFolder) -> None:
    file = idx_folder(packed=True) / f"{IMAGES}.gz"
    file.write_bytes(gzip.compress(bytes([0, 0, 8, 3, 0, 98, 150, 128, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2**20)))
    with pytest.raises(InvalidData, match=rf"{IMAGES}\.gz must unpack to <= 4,294,967,296 bytes, got 5,0"):
        mnist(file.parent)


def test_reads_no_more_of_a_gzip_file_than_its_header_says(idx_folder: IdxFolder) -> None:
    file = idx_folder(packed=True) / f"{IMAGES}.gz"
    file.write_bytes(gzip.compress(bytes([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2**24)))
    with pytest.raises(InvalidData, match=r"must have 800 bytes for \(1, 28, 28\), got 801"):
        mnist(file.parent)


def test_refuses_damaged_gzip(idx_folder: IdxFolder) -> None:
    file = idx_folder(packed=True) / f"{IMAGES}.gz"
    file.write_bytes(b"\x1f\x8b garbage, garbage, garbage")
    with pytest.raises(InvalidData, match=rf"{IMAGES}\.gz: cannot be read"):
        mnist(file.parent)


@pytest.mark.parametrize("packed", [False, True])
def test_refuses_truncated_idx(idx_folder: IdxFolder, packed: bool) -> None:
    folder = idx_folder()
    content = (folder / IMAGES).read_bytes()[:-1]
    if packed:
        (folder / IMAGES).unlink()
        (folder / f"{IMAGES}.gz").write_bytes(gzip.compress(content))
    else:
        (folder / IMAGES).write_bytes(content)
    with pytest.raises(InvalidData, match=f"{IMAGES}.*: must have 5504 bytes .*, got 5503"):
        mnist(folder)


@pytest.mark.parametrize("content", [b"", b"\0\0", b"garbage of some length", struct.pack(">2I", 0x801, 0)])
def test_refuses_garbage(idx_folder: IdxFolder, content: bytes) -> None:
    folder = idx_folder()
    (folder / IMAGES).write_bytes(content)
    with pytest.raises(InvalidData, match=f"{IMAGES}: must be an idx file of bytes in 3 dimensions"):
        mnist(folder)


def test_refuses_another_number_of_labels(idx_folder: IdxFolder) -> None:
    with pytest.raises(InvalidData, match=f"{LABELS}: 7 inputs but 6 labels"):
        mnist(idx_folder(labels=6))


def test_refuses_no_data(idx_folder: IdxFolder) -> None:
    with pytest.raises(InvalidData, match="the data set is empty"):
        mnist(idx_folder(count=0))


def test_a_file_that_shrinks_later_is_named(idx_folder: IdxFolder) -> None:
    folder = idx_folder()
    examples = mnist(folder)
    (folder / IMAGES).write_bytes(b"")
    with pytest.raises(InvalidData, match=f"{IMAGES}: the file ends before its data"):
        examples.batch(range(7))
    (folder / IMAGES).unlink()
    with pytest.raises(InvalidData, match=f"{IMAGES}: cannot be read"):
        examples.batch(range(7))


@pytest.mark.data
def test_the_real_files(real_data: Path) -> None:
    train, test = mnist(real_data / "mnist", "train"), mnist(real_data / "mnist")
    assert (len(train), len(test)) == (60_000, 10_000)
    labels = test.label_array()
    assert labels is not None
    assert np.bincount(labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert test.batch(range(10_000)).inputs.mean().item() == pytest.approx(0.1325, abs=1e-4)


@pytest.mark.data
def test_the_real_files_are_read_fast(real_data: Path) -> None:
    examples, threads = mnist(real_data / "mnist"), torch.get_num_threads()

    def seconds() -> float:
        start = time.perf_counter()
        assert sum(len(batch) for batch in examples.batches()) == 10_000
        return time.perf_counter() - start

    torch.set_num_threads(1)  # a second one waits for its processor if others use it
    try:
        assert 10_000 / min(seconds() for _ in range(10)) > 300_000
    finally:
        torch.set_num_threads(threads)
