"""Distance-based surprise adequacy (Kim et al., ICSE 2019)."""

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class

__all__ = ["dsa"]

_COLUMNS = 4096


def dsa(neurons: Tensor, predicted: Tensor, traces: Traces) -> Tensor:
    r"""How far an input lies from its own class, relative to how far that class is from others.

    .. math:: \mathrm{DSA}(x) = \frac{\|\alpha(x) - \alpha(x_a)\|}{\|\alpha(x_a) - \alpha(x_b)\|}

    Here :math:`x_a` is the training input with the same answer whose neurons are nearest, and :math:`x_b` the nearest
    one to it with another answer.

    Parameters
    ----------
    neurons : Tensor of shape (N, U)
    predicted : int64 Tensor of shape (N,)
    traces : Traces
        Of training data.

    Returns
    -------
    Tensor of shape (N,)
        >= 0: zero for what the neurons have done in training; above one the input is farther from its class than that
        is from another.

    References
    ----------
    Kim et al., "Guiding Deep Learning System Testing using Surprise Adequacy", 2019.
    """

    def surprise(rows: Tensor, number: int) -> Tensor:
        same, rest = traces.fit(("dsa", number), lambda: (traces.of(number), _others(traces, number)))
        # Many inputs have the same nearest neighbour, and its own neighbour is looked for only once.
        nearest, place = _nearest(rows, same).unique(return_inverse=True)
        apart = (same[nearest] - rest[_nearest(same[nearest], rest)]).norm(dim=1)
        # By differences, now that there are few: what the product below makes of nearly equal points is rounding.
        own = (rows - same[nearest][place]).norm(dim=1)
        # Neurons may do the same on inputs of two classes; the surprise near those is huge, but a number.
        relative: Tensor = own / apart[place].clamp_min(1e-12)
        return relative

    return by_class(neurons, predicted, surprise)


def _others(traces: Traces, number: int) -> Tensor:
    found = traces.neurons[traces.predicted != number].double()
    if len(found) == 0:
        raise InvalidData(f"dsa needs reference inputs of other classes than {number}, got none")
    return found


def _nearest(rows: Tensor, among: Tensor) -> Tensor:
    """Return which of the points (M, U) is nearest to each row (N, U), int64 (N,); the first among equals."""
    # A product of matrices instead of differences: M * N * U differences would not fit into memory.
    best, place = torch.full((len(rows),), torch.inf, dtype=rows.dtype), torch.zeros(len(rows), dtype=torch.int64)
    for start in range(0, len(among), _COLUMNS):
        part = among[start : start + _COLUMNS]
        # The row's own square is left out: it is the same for all points, and so does not change which is nearest.
        distance, where = torch.addmm(part.square().sum(dim=1), rows, part.T, alpha=-2).min(dim=1)
        nearer = distance < best
        best, place = torch.where(nearer, distance, best), torch.where(nearer, start + where, place)
    return place
