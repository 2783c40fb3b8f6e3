"""Examples of the things that people have in Python: told apart, and given to the data set that reads them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.subjects.datasets._items import INPUTS, LABELS, key_among
from unnerve.subjects.datasets.dataloader import dataloader
from unnerve.subjects.datasets.iterable import iterable
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.datasets.torch_dataset import torch_dataset

__all__ = ["HasTensors", "examples_of"]

_CLASSES = ("classes", "class_names", "target_names")
_KINDS = "a name, Examples, a tensor or array, a pair (x, y), a dict, a list of items, a torch Dataset or DataLoader"


@runtime_checkable
class HasTensors(Protocol):
    """A result that can give its inputs and labels, such as a campaign its findings."""

    def tensors(self) -> tuple[Tensor, Tensor]:
        """Return inputs (K, ...) and labels (K,)."""
        ...


def examples_of(value: Any, name: str | None = None, limit: int | None = None) -> Examples:
    """Return the examples of something in Python.

    Parameters
    ----------
    value : object
    name : str, optional
        Of the data, shown in messages and reports.
    limit : int, optional
        How many are wanted; only what can be read once but not by row number is cut off here.
    """
    if isinstance(value, Examples):
        return value
    for usual, is_one, read in _READERS:
        if is_one(value):
            return read(value, name or usual or type(value).__name__, limit)
    raise InvalidData(f"{name or 'data'}: must be {_KINDS}, got {type(value).__name__}")


def _is_pair(value: object) -> bool:
    """Say whether this is (inputs, labels) and not a list of two inputs."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], Tensor | np.ndarray):
        return False
    labels = value[1]
    return isinstance(value, tuple) or not isinstance(labels, Tensor | np.ndarray) or labels.ndim < value[0].ndim


def _from_mapping(value: Mapping[Any, Any], name: str) -> Examples:
    x, y, classes = (key_among(keys, value) for keys in (INPUTS, LABELS, _CLASSES))
    if x is None:
        raise InvalidData(
            f"{name}: a dict must hold inputs as one of {', '.join(INPUTS)}, got {', '.join(map(str, value))}"
        )
    names = () if classes is None else tuple(map(str, value[classes]))
    inputs = value[x] if isinstance(value[x], Tensor | np.ndarray) else torch_dataset(value[x], name)
    if isinstance(inputs, Examples):
        inputs = inputs.source.read(range(len(inputs)))
    return tensors(inputs, None if y is None else value[y], names, name)


def _findings(value: HasTensors, name: str) -> Examples:
    inputs, labels = value.tensors()
    return tensors(inputs, labels, name=name)


def _is_stream(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


_Reader = tuple[str, Callable[[Any], bool], Callable[[Any, str, int | None], Examples]]

# In this order: a TensorDataset has tensors that are no method, and nearly everything can be iterated over.
_READERS: tuple[_Reader, ...] = (
    ("tensors", lambda value: isinstance(value, Tensor | np.ndarray), lambda x, name, _: tensors(x, name=name)),
    ("tensors", _is_pair, lambda pair, name, _: tensors(pair[0], pair[1], name=name)),
    ("", lambda value: isinstance(value, DataLoader), dataloader),
    ("", lambda value: isinstance(value, IterableDataset), iterable),
    ("", lambda value: isinstance(value, Dataset | list | tuple), lambda data, name, _: torch_dataset(data, name)),
    ("findings", lambda value: isinstance(value, HasTensors), lambda one, name, _: _findings(one, name)),
    ("dict", lambda value: isinstance(value, Mapping), lambda value, name, _: _from_mapping(value, name)),
    ("", _is_stream, iterable),
)
"""A name for data that has none, what it is told by, and what reads it."""
