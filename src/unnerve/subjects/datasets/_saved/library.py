"""Data sets of Hugging Face in memory: recognised by their home, so that ``datasets`` need not be installed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._saved.examples import SavedWish, class_names, label_column, saved_examples
from unnerve.subjects.datasets.iterable import iterable

__all__ = ["examples_of_library", "is_of_library"]


def is_of_library(value: object) -> bool:
    """Say whether something is a data set, or a dict of splits, of the library ``datasets``."""
    return type(value).__module__.partition(".")[0] == "datasets" and hasattr(value, "column_names")


def examples_of_library(value: Any, name: str, limit: int | None, label: str | None) -> Examples:
    """Return the examples of a ``Dataset`` or, after one pass over it, of an ``IterableDataset``."""
    if isinstance(value, Mapping):
        raise InvalidData(f"{name}: must be one data set, got splits: take one of {', '.join(map(str, value))}")
    known = getattr(value, "features", None)
    features: Mapping[str, Any] = {} if known is None else known.to_dict()
    wish = SavedWish(name, label)
    if hasattr(value, "__len__"):
        # Images stay encoded and rows on disk: a table of Arrow is what the library keeps them in.
        return saved_examples(value.with_format("arrow")[:], features, wish)
    found = iterable(value, name, limit)
    classes = class_names(features, label_column(tuple(features), features, wish))
    return replace(found, classes=classes) if classes and found.labels is not None else found
