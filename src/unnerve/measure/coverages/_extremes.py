"""The neurons of each layer with the largest or smallest values, whatever the ties."""

import numpy as np
import torch
from torch import Tensor

from unnerve.core.neurons import NeuronMap

__all__ = ["extremes", "listed"]


def extremes(neurons: NeuronMap, values: Tensor, count: int, largest: bool = True) -> Tensor:
    """Return the ``count`` neurons with the most extreme values of every layer, or all of a smaller layer.

    Parameters
    ----------
    neurons : NeuronMap
    values : Tensor of shape (N, U)
        Finite.
    count : int
    largest : bool
        The largest values, else the smallest.

    Returns
    -------
    Tensor of shape (N, sum of min(count, neurons of the layer)), int64
        Columns of ``values``, layer by layer; the most extreme first, and among equals the one with the lower index.
    """
    found = []
    for layers, part in neurons.blocks(values):
        starts = np.array([layer.start for layer in neurons.layers[layers]])
        found.append((_first(part.numpy(), count, largest) + starts[:, None]).reshape(len(values), -1))
    return torch.from_numpy(np.concatenate(found, axis=1))


def _first(values: np.ndarray, count: int, largest: bool) -> np.ndarray:
    """Return places in layers of n neurons, (N, layers, n) -> (N, layers, min(count, n))."""
    if count > 8:
        return np.argsort(-values if largest else values, axis=-1, kind="stable")[..., :count]
    # Not a partition, which takes any among equals. Measured: a few argmax are several times faster than a stable sort,
    # and numpy's take a third of the time of torch's.
    most, done = (np.argmax, -np.inf) if largest else (np.argmin, np.inf)
    found = [most(values, axis=-1)]
    left = values.copy() if count > 1 else values
    while len(found) < min(count, values.shape[-1]):
        np.put_along_axis(left, found[-1][..., None], done, axis=-1)
        found.append(most(left, axis=-1))
    return np.stack(found, axis=-1)


def listed(columns: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that were chosen for each of N rows, int64 (N, M), as (rows, columns) of N * M pairs."""
    return np.repeat(np.arange(len(columns)), columns.shape[1]), columns.numpy().ravel()
