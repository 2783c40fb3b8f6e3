"""Anything that yields its items once, one after the other."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._items import item
from unnerve.subjects.datasets._labels import labels_and_classes
from unnerve.subjects.datasets._spool import spooled

__all__ = ["iterable"]

_BLOCK = 256


def iterable(items: Iterable[Any], name: str = "iterable", limit: int | None = None) -> Examples:
    """Return the examples of a generator, or of an iterable data set of PyTorch, after one pass over it.

    Parameters
    ----------
    items : iterable
        Of x, (x, y) or dicts with both: x a tensor, an array, a PIL image or a list of numbers, all of one shape; y an
        integer or a name.
    name : str
        Of the data, shown in messages and reports.
    limit : int, optional
        Take only the first so many: a stream may be endless.

    Returns
    -------
    Examples of the shape of one x
        More than 256 MB of inputs are kept in a temporary file.
    """
    labels: list[Any] = []
    rows = spooled(_blocks(islice(items, limit), labels, name), name)
    known = [label is not None for label in labels]
    if not any(known):
        return Examples(name, rows)
    # Unlabelled items among labelled ones are a mistake of the data, not a class.
    if not all(known):
        raise InvalidData(f"{name}: all items must have labels, or none, got none at {known.index(False)}")
    return Examples(name, rows, *labels_and_classes(labels, name, rows.shape[0]))


def _blocks(items: Iterable[Any], labels: list[Any], name: str) -> Iterator[np.ndarray]:
    """Yield inputs in blocks, and note their labels."""
    waiting: list[np.ndarray] = []
    for row, one in enumerate(items):
        x, label = item(one, row, name)
        if waiting and (x.shape, x.dtype) != (waiting[0].shape, waiting[0].dtype):
            got, wanted = (f"{some.dtype} of shape {some.shape}" for some in (x, waiting[0]))
            raise InvalidData(f"{name}: items must all be {wanted}, got {got} at {row}")
        waiting.append(x)
        labels.append(label)
        if len(waiting) == _BLOCK:
            yield np.stack(waiting)
            waiting = []
    if waiting:
        yield np.stack(waiting)
