"""Columns of a saved data set as rows: images in bytes, and arrays in nested lists."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from PIL import Image

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.files import opened

__all__ = ["ArrayColumn", "ImageColumn", "array_column", "is_array", "is_image"]


def is_image(type_: pa.DataType) -> bool:
    """Say whether a column holds images: structs of bytes and a path."""
    return bool(pa.types.is_struct(type_)) and {"bytes", "path"} <= {field.name for field in type_}


def is_array(type_: pa.DataType) -> bool:
    """Say whether a column holds lists of numbers, however deep."""
    return _is_list(_stored(type_))


@dataclass(frozen=True, eq=False)
class ImageColumn:
    """Images in a column of structs: their bytes or, where those are missing, the path of a file."""

    column: pa.ChunkedArray
    source: str

    def __len__(self) -> int:
        return len(self.column)

    def name(self, row: int) -> str:
        """Return what messages call an image."""
        return f"{self.source}: row {row + 1}"

    def opened(self, row: int) -> AbstractContextManager[Image.Image]:
        """Open an image."""
        one = self.column[row].as_py()
        if not isinstance(one, dict) or (one["bytes"] is None and one["path"] is None):
            raise InvalidData(f"{self.name(row)}: must hold an image, got none")
        return opened(self.name(row), one["bytes"]) if one["bytes"] is not None else opened(one["path"])


@dataclass(frozen=True, eq=False)
class ArrayColumn:
    """Arrays of one shape in a column of nested lists.

    Parameters
    ----------
    column : ChunkedArray of N lists
    shape : tuple of int
        (N, ...).
    dtype : dtype
        Of the numbers.
    """

    column: pa.ChunkedArray
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows, shape (len(rows), ...)."""
        found: Any = pc.take(self.column, pa.array(np.asarray(rows, dtype=np.int64)))
        if isinstance(found, pa.ChunkedArray):
            found = found.combine_chunks()
        while _is_list(found.type):
            found = found.flatten()
        values: np.ndarray = found.to_numpy(zero_copy_only=False)
        return values.reshape(len(rows), *self.shape[1:]).copy()  # what lies in a file cannot be written to


def array_column(column: pa.ChunkedArray, name: str) -> ArrayColumn:
    """Return a column of lists as rows, checked to have one shape."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    sides: list[int] = []
    level: Any = column
    while _is_list(level.type):
        if level.null_count:
            raise InvalidData(f"{name}: every row must hold an array, got an empty cell")
        lengths = pc.min_max(pc.list_value_length(level)).as_py()
        if lengths["min"] != lengths["max"]:
            raise InvalidData(
                f"{name}: arrays must all have one shape, got lists of {lengths['min']} and of {lengths['max']}"
            )
        sides.append(int(lengths["max"] or 0))
        level = pc.list_flatten(level)
    if level.null_count:
        raise InvalidData(f"{name}: arrays must hold numbers, got empty cells")
    return ArrayColumn(column, (len(column), *sides), np.dtype(level.type.to_pandas_dtype()))


def _stored(type_: pa.DataType) -> pa.DataType:
    return type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_


def _is_list(type_: pa.DataType) -> bool:
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_one(type_) for is_one in kinds)
