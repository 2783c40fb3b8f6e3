"""Labels as the house keeps them: int64 of shape (N,), none negative."""

import numpy as np

from unnerve.core.errors import InvalidData

__all__ = ["class_labels"]


def class_labels(given: object, name: str, count: int) -> np.ndarray:
    """Check and convert labels.

    Parameters
    ----------
    given : array, tensor or sequence of shape (N,) or (N, 1), integers
    name : str
        Where they come from; begins every message.
    count : int
        The number of inputs.

    Returns
    -------
    int64 array of shape (N,)
    """
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
    if len(values) and values.dtype.kind not in "iub":
        raise InvalidData(f"{name}: labels must be integers, got {values.dtype}")
    labels = values.astype(np.int64)
    if len(labels) and labels.min() < 0:
        raise InvalidData(f"{name}: labels must be >= 0, got {labels.min()}")
    return labels
