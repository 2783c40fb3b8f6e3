"""The idx format of MNIST: a magic number, the sizes, then the bytes (yann.lecun.com/exdb/mnist)."""

import gzip
import zlib
from math import prod
from pathlib import Path

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import check_unpacked
from unnerve.subjects.datasets._files import existing_file, existing_folder, first_existing
from unnerve.subjects.datasets._labels import class_labels
from unnerve.subjects.datasets._npz import split_npz
from unnerve.subjects.datasets._split import check_split
from unnerve.subjects.datasets._tables.rows import ArrayRows, FileRows, arranged

__all__ = ["idx_examples", "idx_rows"]

_UBYTE = 0x08


def idx_examples(name: str, path: str | Path, split: str, classes: tuple[str, ...]) -> Examples:
    """Return a data set in the form of MNIST: idx files, gzipped or not, or an npz file, in a folder.

    Parameters
    ----------
    name : str
        Of the data set.
    path : path
        The folder; torchvision's ``MNIST/raw`` inside it is found too. Or an npz file.
    split : {"train", "test"}
    classes : tuple of str
    """
    check_split(split)
    named = f"{name}:{path}"
    if Path(path).suffix == ".npz":
        return split_npz(named, existing_file(path, name), split, classes)
    folder = existing_folder(path, name)
    # torchvision keeps the files in MNIST/raw.
    folders = [folder, *sorted(folder.glob("*/raw"))]
    images = first_existing(folders, _names(split, "images", 3))
    labels = first_existing(folders, _names(split, "labels", 1))
    if images is None and any(folder.glob("*.npz")):
        return split_npz(named, folder, split, classes)
    if images is None or labels is None:
        missing = _names(split, "images", 3)[0] if images is None else _names(split, "labels", 1)[0]
        raise InvalidData(f"{name}: {missing} (or .gz, or an npz file) must be in the folder '{folder}', found none")
    rows = arranged(idx_rows(images, 3))
    targets = idx_rows(labels, 1)
    values = targets.read(range(targets.shape[0]))
    return Examples(named, rows, class_labels(values, str(labels), rows.shape[0]), classes)


def idx_rows(path: Path, dimensions: int) -> ArrayRows | FileRows:
    """Return the rows of an idx file of bytes: plain files are read piece by piece, ``.gz`` into memory.

    Parameters
    ----------
    path : Path
    dimensions : int
        How many the file must have: 3 for images, 1 for labels.
    """
    packed = path.suffix == ".gz"
    header_size = 4 + 4 * dimensions
    try:
        if packed:
            content = _unpacked(path)
            header, size = content[:header_size], len(content)
        else:
            with path.open("rb") as file:
                header = file.read(header_size)
            content, size = b"", path.stat().st_size
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidData(f"{path}: cannot be read, {'truncated or ' if packed else ''}damaged: {error}") from error
    if len(header) < header_size or header[:4] != bytes([0, 0, _UBYTE, dimensions]):
        raise InvalidData(
            f"{path}: must be an idx file of bytes in {dimensions} dimensions, got the start {header[:4]!r}"
        )
    shape = tuple(np.frombuffer(header, ">u4", offset=4).tolist())
    if size != header_size + prod(shape):
        raise InvalidData(f"{path}: must have {header_size + prod(shape)} bytes for {shape}, got {size}")
    if packed:
        return ArrayRows(np.frombuffer(content, np.uint8, offset=header_size).reshape(shape))
    return FileRows(path, header_size, shape, np.dtype(np.uint8))


def _unpacked(path: Path) -> bytes:
    """Return what a gzip file holds: not more than its own header announces, and a byte that tells if there is more."""
    with gzip.open(path) as file:
        start = file.read(4)
        sizes = file.read(4 * start[3] if len(start) == 4 else 0)
        expected = prod(np.frombuffer(sizes, ">u4", count=len(sizes) // 4).tolist())
        check_unpacked(expected, str(path), "; unpacked by hand, it is read piece by piece")
        return start + sizes + file.read(expected + 1)


def _names(split: str, kind: str, dimensions: int) -> list[str]:
    stem = {"train": "train", "test": "t10k"}[split]
    plain = [f"{stem}-{kind}-idx{dimensions}-ubyte", f"{stem}-{kind}.idx{dimensions}-ubyte"]
    return [name + suffix for suffix in ("", ".gz") for name in plain]
