"""Examples of the things that people have in Python: told apart, and given to the data set that reads them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset

from unnerve.core.data.examples import Examples
from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets._items import INPUTS, LABELS, key_among
from unnerve.subjects.datasets._saved.library import examples_of_library, is_of_library
from unnerve.subjects.datasets.dataloader import dataloader
from unnerve.subjects.datasets.iterable import iterable
from unnerve.subjects.datasets.table import is_table, table
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.datasets.torch_dataset import torch_dataset

__all__ = ["HasTensors", "Wish", "examples_of"]

_CLASSES, _COLUMNS = ("classes", "class_names", "target_names"), ("feature_names", "columns")
_KINDS = (
    "a name, Examples, a tensor or array, a pair (x, y), a DataFrame, a dict, a list of items, a torch Dataset, or a "
    "DataLoader"
)


@runtime_checkable
class HasTensors(Protocol):
    """A result that can give its inputs and labels, such as a campaign its findings."""

    def tensors(self) -> tuple[Tensor, Tensor]:
        """Return inputs (K, ...) and labels (K,)."""
        ...


@dataclass(frozen=True)
class Wish:
    """What is asked of data beside itself.

    Parameters
    ----------
    name : str
        Of the data, shown in messages and reports.
    limit : int or None
        How many inputs are wanted; only what can be read once but not by row number is cut off here.
    label : str or None
        The column of labels, of a table.
    """

    name: str = ""
    limit: int | None = None
    label: str | None = None


def examples_of(value: Any, wish: Wish) -> Examples:
    """Return the examples of something in Python."""
    if isinstance(value, Examples):
        return value
    reader = next((one for one in _READERS if one.is_one(value)), None)
    if reader is None:
        raise InvalidData(f"{wish.name or 'data'}: must be {_KINDS}, got {type(value).__name__}")
    if wish.label is not None and not reader.has_columns:
        raise InvalidSetting(f"--label '{wish.label}' is for tables, got {wish.name or type(value).__name__}")
    return reader.read(value, replace(wish, name=wish.name or reader.name or type(value).__name__))


def _is_pair(value: object) -> bool:
    """Say whether this is (inputs, labels) and not a list of two inputs."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], Tensor | np.ndarray):
        return False
    # A list of two images is data; a list of images and their labels is a pair: labels have fewer axes.
    labels = value[1]
    return isinstance(value, tuple) or not isinstance(labels, Tensor | np.ndarray) or labels.ndim < value[0].ndim


def _from_mapping(value: Mapping[Any, Any], wish: Wish) -> Examples:
    x, y, classes, columns = (key_among(keys, value) for keys in (INPUTS, LABELS, _CLASSES, _COLUMNS))
    if x is None:
        return table(value, wish.label, name=wish.name)
    names = () if classes is None else tuple(map(str, value[classes]))
    inputs, labels = value[x], None if y is None else value[y]
    if is_table(inputs):
        return table(inputs, labels=labels, classes=names, name=wish.name)
    if not isinstance(inputs, Tensor | np.ndarray):
        items = torch_dataset(inputs, wish.name)
        inputs = items.source.read(range(len(items)))
    if columns is not None and inputs.ndim == 2 and len(value[columns]) == inputs.shape[1]:
        frame = dict(zip(value[columns], np.asarray(inputs).T, strict=True))
        return table(frame, labels=labels, classes=names, name=wish.name)
    return tensors(inputs, labels, names, wish.name)


def _findings(value: HasTensors, wish: Wish) -> Examples:
    inputs, labels = value.tensors()
    held = getattr(value, "value_range", UNIT)
    return replace(tensors(inputs, labels, name=wish.name), value_range=held)


def _is_labelled_table(value: object) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and is_table(value[0])


def _is_stream(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


class _Reader(NamedTuple):
    name: str  # of data that has none; empty for that of its class
    is_one: Callable[[Any], bool]
    read: Callable[[Any, Wish], Examples]
    has_columns: bool = False


def _of(*classes: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, classes)


# In this order: a TensorDataset has tensors that are no method, and nearly everything can be iterated over.
_READERS: tuple[_Reader, ...] = (
    _Reader("tensors", _of(Tensor, np.ndarray), lambda x, wish: tensors(x, name=wish.name)),
    _Reader(
        "",
        is_of_library,
        lambda data, wish: examples_of_library(data, wish.name, wish.limit, wish.label),
        True,
    ),
    _Reader("table", is_table, lambda frame, wish: table(frame, wish.label, name=wish.name), True),
    _Reader("table", _is_labelled_table, lambda pair, wish: table(pair[0], labels=pair[1], name=wish.name)),
    _Reader("tensors", _is_pair, lambda pair, wish: tensors(pair[0], pair[1], name=wish.name)),
    _Reader("", _of(DataLoader), lambda loader, wish: dataloader(loader, wish.name, wish.limit)),
    _Reader("", _of(IterableDataset), lambda stream, wish: iterable(stream, wish.name, wish.limit)),
    _Reader("", _of(Dataset, list, tuple), lambda data, wish: torch_dataset(data, wish.name)),
    _Reader("findings", lambda value: isinstance(value, HasTensors), _findings),
    _Reader("dict", _of(Mapping), _from_mapping, True),
    _Reader("", _is_stream, lambda stream, wish: iterable(stream, wish.name, wish.limit)),
)
