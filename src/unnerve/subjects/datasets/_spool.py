"""Rows that arrive block by block, once: kept in memory or, if they are many, in a temporary file."""

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.subjects.datasets._tables.rows import ArrayRows, FileRows

__all__ = ["spooled"]

_IN_MEMORY = 2**28
"""Bytes that are kept in memory; more go to a file."""


def spooled(blocks: Iterable[np.ndarray], name: str, in_memory: int = _IN_MEMORY) -> ArrayRows | FileRows:
    """Collect blocks (n, ...) of one dtype and shape of a row.

    Parameters
    ----------
    blocks : iterable of arrays
    name : str
        Where they come from; begins the message if there are none, or if rows differ.
    in_memory : int
        Bytes that are kept in memory. The file that holds more of them is deleted with the rows.
    """
    alike = _alike(blocks, name)
    first: list[np.ndarray] = []
    size = 0
    for block in alike:
        first.append(block)
        size += block.nbytes
        if size > in_memory:
            return _in_file(chain(first, alike))
    if not first:
        raise InvalidData(f"{name}: the data set is empty")
    return ArrayRows(np.concatenate(first))


def _alike(blocks: Iterable[np.ndarray], name: str) -> Iterator[np.ndarray]:
    """Yield the blocks as long as they have rows of one kind, or raise."""
    wanted, count = "", 0
    for block in blocks:
        kind = f"{block.dtype} of shape {block.shape[1:]}"
        wanted = wanted or kind
        if kind != wanted:
            raise InvalidData(f"{name}: inputs must all be {wanted}, got {kind} after {count} inputs")
        count += len(block)
        yield np.ascontiguousarray(block)


def _in_file(blocks: Iterable[np.ndarray]) -> FileRows:
    count, first = 0, None
    with tempfile.NamedTemporaryFile(prefix="unnerve-", delete=False) as file:
        path = Path(file.name)
        try:
            for block in blocks:
                first, count = block if first is None else first, count + len(block)
                file.write(block.data)
        # Ctrl-C too: nothing else would delete the file.
        except BaseException as error:
            path.unlink()
            if isinstance(error, OSError):
                raise OutputRefused(f"cannot write {path}: {error.strerror or error}") from error
            raise
    assert first is not None
    rows = FileRows(path, 0, (count, *first.shape[1:]), first.dtype)
    # Also at the end of the program, which a destructor would not promise.
    weakref.finalize(rows, path.unlink, missing_ok=True)
    return rows
