"""Rows of inputs in memory, or in a file that is read piece by piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from unnerve.core.data.examples import Rows
from unnerve.core.errors import InvalidData

__all__ = ["ArrayRows", "ChannelsFirst", "FileRows", "arranged", "check_inputs"]


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows of an array in memory, of shape (N, ...)."""

    array: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, ...)."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Of the array."""
        return self.array.dtype

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return a copy of these rows: whoever changes a batch must not change the data."""
        # A slice copies several times as fast as an index of every row.
        if isinstance(rows, range) and rows.step == 1 and len(rows) and 0 <= rows.start < rows.stop <= len(self.array):
            return self.array[rows.start : rows.stop].copy()
        return self.array[np.asarray(rows, dtype=np.int64)]


@dataclass(frozen=True)
class FileRows:
    """Rows of an uncompressed array in a file, in C order, of which only what is asked for is read.

    The file is opened for every read, so that the rows can be sent to another process.
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows; neighbours are read together."""
        index = np.asarray(rows, dtype=np.int64)
        if index.size and not 0 <= index.min() <= index.max() < self.shape[0]:
            raise IndexError(f"rows must be in [0, {self.shape[0] - 1}], got {index.min()} to {index.max()}")
        out = np.empty((len(index), *self.shape[1:]), dtype=self.dtype)
        length = prod(self.shape[1:]) * self.dtype.itemsize
        if out.nbytes == 0:
            return out
        piece = out.reshape(-1).view(np.uint8).data
        try:
            # Not mapped into memory: mapped pages would count as memory used, up to the size of the file.
            with self.path.open("rb", buffering=0) as file:
                for start, stop in _runs(index):
                    file.seek(self.offset + int(index[start]) * length)
                    self._fill(file, piece[start * length : stop * length])
        except OSError as error:
            raise InvalidData(f"{self.path}: cannot be read: {error.strerror or error}") from error
        return out

    def _fill(self, file: BinaryIO, piece: memoryview) -> None:
        while piece:
            count = file.readinto(piece)  # type: ignore[attr-defined]
            if not count:
                raise InvalidData(f"{self.path}: the file ends before its data does")
            piece = piece[count:]


@dataclass(frozen=True)
class ChannelsFirst:
    """Images stored as (N, H, W) or (N, H, W, C), returned as (N, C, H, W)."""

    stored: Rows

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, C, H, W)."""
        count, height, width, *channels = self.stored.shape
        return count, channels[0] if channels else 1, height, width

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows, shape (len(rows), C, H, W)."""
        raw = self.stored.read(rows)
        return raw[:, None] if raw.ndim == 3 else np.ascontiguousarray(raw.transpose(0, 3, 1, 2))


def arranged(rows: ArrayRows | FileRows) -> Rows:
    """Return the rows as a model takes them: images become (N, C, H, W), all else stays.

    Images are (N, H, W, C), and (N, H, W) of uint8. Three axes of floating-point numbers may as well be time series,
    (N, T, F) or (N, 1, L), and nobody could tell.
    """
    shape = rows.shape
    # Images have sides of more than four pixels; (N, 3, H, W) is arranged already.
    sides = min(shape[1:3], default=0) > 4
    grey = len(shape) == 3 and rows.dtype == np.uint8
    colour = len(shape) == 4 and shape[3] in {1, 3, 4}
    return ChannelsFirst(rows) if sides and (grey or colour) else rows


def check_inputs(rows: ArrayRows | FileRows, name: str) -> None:
    """Refuse what cannot be inputs; ``name`` begins the message."""
    if len(rows.shape) < 2:
        raise InvalidData(f"{name}: inputs must have the shape (N, ...), got {rows.shape}")
    if rows.dtype != np.uint8 and rows.dtype.kind != "f":
        raise InvalidData(f"{name}: inputs must be uint8 or floating point, got {rows.dtype}")


def _runs(index: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of every stretch of consecutive rows."""
    breaks = (np.flatnonzero(np.diff(index) != 1) + 1).tolist()
    return zip([0, *breaks], [*breaks, len(index)], strict=True)
