"""A changed data set as one npz file: written whole or not at all, in an order that does not depend on batches."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Protocol
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.lib import format as npy

from unnerve.core.data.examples import Examples
from unnerve.core.errors import OutputRefused
from unnerve.core.storage.files import check_writable, whole_file

__all__ = ["Keep", "changed_set", "check_changed_set"]

_PIECE = 2**24


class Keep(Protocol):
    """What takes changed inputs."""

    def __call__(self, change: int, severity: int, start: int, pixels: np.ndarray) -> None:
        """Take uint8 (K, C, H, W) of a change and a severity, both by their numbers, from input ``start`` on."""
        ...


def check_changed_set(path: str | Path | None) -> None:
    """Raise before any work if a changed set cannot be written there."""
    if path is None:
        return
    if Path(path).suffix != ".npz":
        raise OutputRefused(f"a changed set is written as .npz, got '{path}'")
    check_writable(Path(path))


@contextmanager
def changed_set(
    path: str | Path | None, data: Examples, changes: Sequence[str], severities: Sequence[int]
) -> Iterator[Keep]:
    """Yield what takes changed inputs; the file is there when the context ends without an error.

    Parameters
    ----------
    path : path or None
        None keeps nothing.
    data : Examples
        What is changed: all of it.
    changes, severities : what is done to it
        Rows are ordered by change, then severity, then input; ``change``, ``severity`` and ``id`` say which is which.
    """
    if path is None:
        yield lambda change, severity, start, pixels: None
        return
    shape = (len(changes), len(severities), len(data), *data.shape)
    # A file and not an array: the changed set is 75 times as large as the data. Beside the target, where there is
    # room for as much again anyway; it has no name, so nothing is left of it if the process is killed.
    with whole_file(Path(path)) as part, tempfile.TemporaryFile(dir=part.parent) as file:
        held = np.memmap(file, np.uint8, "w+", shape=shape)

        def keep(change: int, severity: int, start: int, pixels: np.ndarray) -> None:
            held[change, severity, start : start + len(pixels)] = pixels

        yield keep
        # Not compressed: our reader maps such arrays into memory, instead of unpacking 75 copies of the data.
        with ZipFile(part, "w", ZIP_STORED) as archive:
            _write_images(archive, held.reshape(-1, *data.shape))
            _write_columns(archive, data, changes, severities)


def _write_images(archive: ZipFile, images: np.ndarray) -> None:
    """Write images (N, C, H, W) as pictures usually are: (N, H, W, C), grey ones (N, H, W)."""
    count, channels, height, width = images.shape
    usual = channels in (1, 3)
    shape = images.shape if not usual else (count, height, width) if channels == 1 else (count, height, width, 3)
    # The size is not known to zipfile before the end, and without this it refuses more than 2 GiB.
    with archive.open("x.npy", "w", force_zip64=True) as member:
        npy.write_array_header_2_0(member, {"descr": "|u1", "fortran_order": False, "shape": shape})
        step = max(1, _PIECE // prod(images.shape[1:]))
        for start in range(0, count, step):
            piece = images[start : start + step]
            member.write((np.moveaxis(piece, 1, -1) if usual else piece).tobytes())


def _write_columns(archive: ZipFile, data: Examples, changes: Sequence[str], severities: Sequence[int]) -> None:
    count, labels = len(data), data.label_array()
    columns = {
        "change": np.repeat(np.array(changes), len(severities) * count),
        "severity": np.tile(np.repeat(np.array(severities, np.uint8), count), len(changes)),
        "id": np.tile(np.array(data.ids()), len(changes) * len(severities)),
    }
    if labels is not None:
        columns["y"] = np.tile(labels.astype(np.int64), len(changes) * len(severities))
    if data.classes:
        columns["classes"] = np.array(data.classes)
    for name, column in columns.items():
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            npy.write_array(member, column, allow_pickle=False)
