"""Data that is in memory already."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._labels import labels_and_classes
from unnerve.subjects.datasets._tables.rows import ArrayRows, arranged, check_inputs

__all__ = ["tensors"]


def tensors(
    x: Tensor | np.ndarray,
    y: Tensor | np.ndarray | Sequence[int] | Sequence[str] | None = None,
    classes: Sequence[str] = (),
    name: str = "tensors",
) -> Examples:
    """Return examples made of tensors or arrays; nothing is copied.

    Parameters
    ----------
    x : Tensor or array of shape (N, ...)
        uint8, or floating point in [0, 1]. Images, (N, H, W, C) and uint8 of shape (N, H, W), are turned into
        (N, C, H, W), except in floating-point tensors, which are taken to be as the model wants them. Other shapes
        stay: (N, T, F), (N, 1, L).
    y : Tensor, array or sequence of shape (N,), integers or names, optional
        Names are numbered by their place among the classes; sorted, if no classes are given.
    classes : sequence of str
        Names of the classes.
    name : str
        Of the data, shown in messages and reports.

    Returns
    -------
    Examples of the shape of one input
    """
    rows = ArrayRows(_array(x))
    check_inputs(rows, name)
    labels, known = None, tuple(classes)
    if y is not None:
        labels, known = labels_and_classes(_array(y) if isinstance(y, Tensor) else y, name, rows.shape[0], classes)
    # Tensors of torch are channels-first by custom; arrays of numpy and bytes may be either.
    ready = isinstance(x, Tensor) and x.is_floating_point()
    return Examples(name, rows if ready else arranged(rows), labels, known)


def _array(values: Tensor | np.ndarray) -> np.ndarray:
    if isinstance(values, Tensor):
        values = values.detach().cpu().resolve_conj().resolve_neg()
        return (values.float() if values.dtype == torch.bfloat16 else values).numpy()
    return np.asarray(values)
