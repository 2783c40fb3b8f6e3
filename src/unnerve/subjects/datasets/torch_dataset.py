"""Any map-style data set of PyTorch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.subjects.datasets._image_files import pixels
from unnerve.subjects.datasets._labels import labels_and_classes

__all__ = ["torch_dataset"]


def torch_dataset(dataset: Dataset[Any], name: str = "torch_dataset") -> Examples:
    """Return the examples of a PyTorch data set; inputs are asked of it when they are needed.

    Parameters
    ----------
    dataset : map-style Dataset
        Items are x or (x, y): x a tensor, an array or a PIL image, all of one shape; y an integer or a name. Labels are
        taken from ``targets`` or a TensorDataset where that is possible, else collected in one pass.
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
    first, label = _item(dataset, 0, name)
    rows = _DatasetRows(dataset, (count, *first.shape), name)
    if label is None:
        return Examples(name, rows)
    labels = _cheap_labels(dataset)
    if labels is None:
        labels = np.array([_item(dataset, row, name)[1] for row in range(count)])
    return Examples(
        name, rows, *labels_and_classes(labels, name, count, tuple(map(str, getattr(dataset, "classes", ()))))
    )


@dataclass(frozen=True, eq=False)
class _DatasetRows:
    dataset: Dataset[Any]
    shape: tuple[int, ...]
    name: str

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        items = [_item(self.dataset, int(row), self.name)[0] for row in rows]
        for row, item in zip(rows, items, strict=True):
            if item.shape != self.shape[1:]:
                raise InvalidData(f"{self.name}: items must have the shape {self.shape[1:]}, got {item.shape} at {row}")
        return np.stack(items) if items else np.empty((0, *self.shape[1:]), dtype=np.float32)


def _item(dataset: Dataset[Any], row: int, name: str) -> tuple[np.ndarray, object]:
    """Return an item's input and its label, or None."""
    item = dataset[row]
    x, *rest = item if isinstance(item, tuple | list) else (item,)
    if isinstance(x, Tensor):
        x = (x.float() if x.dtype == torch.bfloat16 else x).detach().cpu().numpy()
    elif isinstance(x, Image.Image):
        x = pixels(x)
    if not isinstance(x, np.ndarray) or len(rest) > 1:
        raise InvalidData(
            f"{name}: items must be x or (x, y), x a tensor, array or image, got {_described(item)} at {row}"
        )
    if x.dtype != np.uint8 and x.dtype.kind != "f":
        raise InvalidData(f"{name}: inputs must be uint8 or floating point, got {x.dtype} at {row}")
    return x, (rest[0].item() if isinstance(rest[0], Tensor) else rest[0]) if rest else None


def _cheap_labels(dataset: Dataset[Any]) -> np.ndarray | None:
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


def _described(item: object) -> str:
    if isinstance(item, tuple | list):
        return f"({', '.join(type(part).__name__ for part in item)})"
    return type(item).__name__
