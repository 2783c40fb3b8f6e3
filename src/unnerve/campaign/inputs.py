"""Inputs as a campaign keeps them: the bytes of float32 numbers, and the shape to which they belong."""

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unnerve.core.errors import InvalidData

__all__ = ["stored_array", "stored_inputs"]


def stored_array(data: bytes, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Return an input from its bytes; only float32 is stored, so nothing else is believed."""
    if dtype != "float32":
        raise InvalidData(f"stored inputs must be float32, got {dtype!r}")
    try:
        return np.frombuffer(data, dtype=np.float32).reshape(shape)
    except (ValueError, TypeError, OverflowError) as problem:
        raise InvalidData("stored inputs must be as many numbers as their shape says") from problem


def stored_inputs(table: pa.Table | pa.RecordBatch) -> np.ndarray:
    """Return the inputs of N >= 1 rows, float32 (N, ...), from the columns ``input``, ``shape`` and ``dtype``.

    The same as :func:`stored_array` row by row, without a Python object for each of them.
    """
    columns = (table[name] for name in ("input", "shape", "dtype"))
    inputs, shapes, dtypes = (one if isinstance(one, pa.ChunkedArray) else pa.chunked_array([one]) for one in columns)
    if strange := set(pc.unique(dtypes).to_pylist()) - {"float32"}:
        raise InvalidData(f"stored inputs must be float32, got {min(strange, key=str)!r}")
    shape = _only_shape(shapes)
    parts = [_numbers(chunk, math.prod(shape)) for chunk in inputs.chunks if len(chunk)]
    return np.concatenate(parts).reshape(len(table), *shape)


def _only_shape(shapes: pa.ChunkedArray) -> tuple[int, ...]:
    """Return the shape of all rows."""
    lengths = pc.unique(pc.list_value_length(shapes)).to_pylist()
    if len(lengths) == 1:
        rows = np.asarray(pc.list_flatten(shapes)).reshape(len(shapes), lengths[0])
        if (rows == rows[0]).all() and (rows[0] >= 0).all():
            return tuple(rows[0].tolist())
    raise InvalidData("stored inputs must be of one shape")


def _numbers(chunk: pa.BinaryArray, count: int) -> np.ndarray:
    """Return the numbers of binary values of ``count`` each, where they lie in memory: one after the other."""
    _, ends, values = chunk.buffers()
    offsets = np.frombuffer(ends, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    if chunk.null_count or not (np.diff(offsets) == 4 * count).all():
        raise InvalidData("stored inputs must be as many numbers as their shape says")
    return np.frombuffer(values, np.float32, count * len(chunk), int(offsets[0]))
