"""Any map-style data set of PyTorch, or a list of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._items import item
from unnerve.subjects.datasets._labels import labels_and_classes

__all__ = ["torch_dataset"]


def torch_dataset(dataset: Dataset[Any] | Sequence[Any], name: str = "torch_dataset") -> Examples:
    """Return the examples of a PyTorch data set or a list; inputs are asked of it when they are needed.

    Parameters
    ----------
    dataset : map-style Dataset, or sequence
        Items are x, (x, y), or dicts such as ``{"image": x, "label": y}``: x a tensor, an array, a PIL image or a list
        of numbers, all of one shape; y an integer or a name. Labels are taken from ``targets`` or a TensorDataset
        where that is possible, else collected in one pass.
    name : str
        Of the data, shown in messages and reports.

    Returns
    -------
    Examples of the shape of one x
    """
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__len__"):
        raise InvalidData(f"{name}: the data set must be map-style, with a length, got {type(dataset).__name__}")
    count = len(dataset)
    if count == 0:
        raise InvalidData(f"{name}: the data set is empty")
    first, label = item(dataset[0], 0, name)
    rows = _DatasetRows(dataset, (count, *first.shape), name)
    if label is None:
        return Examples(name, rows)
    # To ask every item for its label would decode every image.
    labels = _cheap_labels(dataset)
    if labels is None:
        labels = np.array([item(dataset[row], row, name)[1] for row in range(count)])
    return Examples(
        name, rows, *labels_and_classes(labels, name, count, tuple(map(str, getattr(dataset, "classes", ()))))
    )


@dataclass(frozen=True, eq=False)
class _DatasetRows:
    dataset: Dataset[Any] | Sequence[Any]
    shape: tuple[int, ...]
    name: str

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        items = [item(self.dataset[int(row)], int(row), self.name)[0] for row in rows]
        for row, x in zip(rows, items, strict=True):
            if x.shape != self.shape[1:]:
                raise InvalidData(f"{self.name}: items must have the shape {self.shape[1:]}, got {x.shape} at {row}")
        return np.stack(items) if items else np.empty((0, *self.shape[1:]), dtype=np.float32)


def _cheap_labels(dataset: object) -> np.ndarray | None:
    """Return the labels without touching the inputs, or None."""
    if isinstance(dataset, Subset):
        labels = _cheap_labels(dataset.dataset)
        return None if labels is None else labels[np.asarray(dataset.indices, dtype=np.int64)]
    if isinstance(dataset, TensorDataset):
        return dataset.tensors[1].detach().cpu().numpy()
    targets = getattr(dataset, "targets", None)
    # A target_transform makes labels that differ from the stored ones.
    if targets is None or getattr(dataset, "target_transform", None) is not None:
        return None
    return np.asarray(targets)
