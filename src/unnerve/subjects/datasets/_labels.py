"""Labels as the house keeps them: int64 of shape (N,), none negative; names of classes beside them."""

from collections.abc import Sequence

import numpy as np

from unnerve.core.errors import InvalidData, UnknownName
from unnerve.core.storage.limits import CLASSES

__all__ = ["class_labels", "labels_and_classes"]


def class_labels(given: object, name: str, count: int) -> np.ndarray:
    """Check and convert labels.

    Parameters
    ----------
    given : array, tensor or sequence of shape (N,) or (N, 1), integers
        Whole numbers stored as floating point will do.
    name : str
        Where they come from; begins every message.
    count : int
        The number of inputs.

    Returns
    -------
    int64 array of shape (N,)
    """
    values = _column(given, name, count)
    if values.dtype.kind == "f" and len(values):
        missing = np.flatnonzero(~np.isfinite(values))
        if len(missing):
            raise InvalidData(
                f"{name}: every input must have a label, got {values[missing[0]]} in row {missing[0] + 1}"
            )
        broken = np.flatnonzero(values != np.rint(values))
        if len(broken):
            raise InvalidData(f"{name}: labels must be integers, got {values[broken[0]]:g} in row {broken[0] + 1}")
    elif len(values) and values.dtype.kind not in "iub":
        raise InvalidData(f"{name}: labels must be integers, got {values.dtype}")
    labels = values.astype(np.int64)
    if len(labels) and labels.min() < 0:
        raise InvalidData(f"{name}: labels must be >= 0, got {labels.min()}")
    # Tables per class are made later: a label of ten billion would ask for all memory.
    if len(labels) and labels.max() >= CLASSES:
        raise InvalidData(f"{name}: labels must be < {CLASSES:,}, got {labels.max()}")
    return labels


def labels_and_classes(
    given: object, name: str, count: int, classes: Sequence[str] = ()
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return labels as numbers, and the names of the classes.

    Parameters
    ----------
    given : array, tensor or sequence of shape (N,), integers or texts
        Texts are numbered by their place among the classes.
    name : str
    count : int
    classes : sequence of str
        Names in the order of their numbers; if there are none, the texts that occur, sorted.
    """
    values = _column(given, name, count)
    if not _is_text(values):
        return class_labels(values, name, count), tuple(classes)
    texts = [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in values.tolist()]
    names = tuple(classes) or tuple(sorted(set(texts)))
    numbers = {one: number for number, one in enumerate(names)}
    unknown = next((text for text in texts if text not in numbers), None)
    if unknown is not None:
        raise UnknownName("label", unknown, names)
    return np.array([numbers[text] for text in texts], dtype=np.int64), names


def _column(given: object, name: str, count: int) -> np.ndarray:
    try:
        values = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise InvalidData(f"{name}: labels must have the shape (N,), got rows of different lengths") from error
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidData(f"{name}: labels must have the shape (N,), got {values.shape}")
    if len(values) != count:
        raise InvalidData(f"{name}: {count} inputs but {len(values)} labels")
    return values


def _is_text(values: np.ndarray) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind in "US"
    return len(values) > 0 and all(isinstance(one, str | bytes) for one in values.tolist())
