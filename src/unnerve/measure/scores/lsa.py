"""Likelihood-based surprise adequacy (Kim et al., ICSE 2019)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class

__all__ = ["lsa"]

_MOST = 300
_LEAST_VARIANCE = 1e-5
_RIDGE = 1e-6
_ROWS = 128
"""Inputs compared with all kernels at once: their exponents stay in the cache."""


class _Density(NamedTuple):
    """Kernels around training inputs, in coordinates in which each is a standard normal law."""

    columns: Tensor
    whitening: Tensor
    points: Tensor
    halves: Tensor
    constant: float


def lsa(neurons: Tensor, predicted: Tensor, traces: Traces) -> Tensor:
    r"""How unlikely the neurons of an input are among those of training inputs with the same answer.

    .. math:: \mathrm{LSA}(x) = -\log \frac{1}{|A|} \sum_{t \in A} K_H(\alpha(x) - \alpha(t))

    The kernels are normal with the covariance of the training inputs, times Scott's factor squared. Of the neurons
    that vary by more than 1e-5, the 300 that vary most take part.

    Parameters
    ----------
    neurons : Tensor of shape (N, U)
    predicted : int64 Tensor of shape (N,)
    traces : Traces
        Of training data.

    Returns
    -------
    Tensor of shape (N,)
        In nats, unbounded: the higher, the less likely.

    References
    ----------
    Kim et al., "Guiding Deep Learning System Testing using Surprise Adequacy", 2019.
    """

    def surprise(rows: Tensor, number: int) -> Tensor:
        density = traces.fit(("lsa", number), lambda: _density(traces.of(number, least=2), number))
        white = rows[:, density.columns] @ density.whitening.T
        return density.constant - torch.cat([_log_sums(some, density) for some in white.split(_ROWS)])

    return by_class(neurons, predicted, surprise)


def _log_sums(white: Tensor, density: _Density) -> Tensor:
    """Return the logarithms of the sums of all kernels at N points: (N,)."""
    # -|w - p|^2 / 2 without a distance in between, as one product of matrices; |w|^2 / 2 is the same for all kernels.
    exponents = torch.addmm(density.halves, white, density.points.T)
    largest = exponents.amax(dim=1)
    sums = exponents.sub_(largest.unsqueeze(1)).exp_().sum(dim=1)
    return sums.log_().add_(largest).sub_(white.square().sum(dim=1), alpha=0.5)


def _density(points: Tensor, number: int) -> _Density:
    variance = points.var(dim=0)
    moving = int((variance > _LEAST_VARIANCE).sum())
    if moving == 0:
        raise InvalidData(f"lsa needs neurons that vary on reference inputs of class {number}, got none")
    columns = variance.argsort(descending=True, stable=True)[: min(_MOST, moving)]
    points = points[:, columns]
    count, dimensions = points.shape
    covariance = torch.cov(points.T).reshape(dimensions, dimensions) * count ** (-2 / (dimensions + 4))
    # Differs: neurons that go together make a covariance singular, and dnn-tip then replaces its diagonal; here a
    # millionth of the mean variance is added, always.
    covariance += torch.eye(dimensions, dtype=points.dtype) * (_RIDGE * covariance.diagonal().mean())
    lower = torch.linalg.cholesky(covariance)
    whitening = torch.linalg.solve_triangular(lower, torch.eye(dimensions, dtype=points.dtype), upper=False)
    log_root = float(lower.diagonal().log().sum())
    constant = math.log(count) + dimensions / 2 * math.log(2 * math.pi) + log_root
    white = points @ whitening.T
    return _Density(columns, whitening, white, white.square().sum(dim=1).div_(-2), constant)
