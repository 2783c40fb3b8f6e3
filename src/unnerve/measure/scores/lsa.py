"""Likelihood-based surprise adequacy (Kim et al., ICSE 2019)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from unnerve.core.errors import InvalidData
from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class

__all__ = ["lsa"]

_MOST = 300
_LEAST_VARIANCE = 1e-5
_RIDGE = 1e-6
_ROWS = 512
"""Inputs compared with all kernels at once: their exponents stay in the cache."""
_LEAST_ROWS = 32
_BLOCK = 96
_NOTHING = -80.0
"""Exponents below add nothing, and powers smaller still have no full precision, with which processors are slow."""


class _Density(NamedTuple):
    """Kernels around training inputs, in coordinates in which each is a standard normal law.

    ``points`` (M, D) in double precision; ``screen`` (M, D + 1) in single, with what each takes off its exponents.
    """

    columns: Tensor
    centre: Tensor
    lower: Tensor
    points: Tensor
    screen: Tensor
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
        white = _whitened(rows[:, density.columns] - density.centre, density.lower)
        return density.constant - _log_sums(white, density)

    return by_class(neurons, predicted, surprise)


def _log_sums(white: Tensor, density: _Density) -> Tensor:
    """Return the logarithms of the sums of all kernels at N points: (N,)."""
    # In single precision every exponent would be wrong by a millionth of the squared distances. The largest, which
    # rules the sum, is therefore taken from the points themselves; the others are needed relative to it only.
    place, share = [], []
    for some in _extended(white, torch.ones(len(white))).split(_ROWS):
        exponents = _products(_enough(some), density.screen)[: len(some)]
        where = torch.from_numpy(exponents.numpy().argmax(axis=1))  # five times as fast as torch's
        place.append(where)
        largest = exponents.gather(1, where.unsqueeze(1))
        share.append(exponents.sub_(largest).clamp_min_(_NOTHING).exp_().sum(dim=1).log_())
    nearest = density.points[torch.cat(place)]
    return torch.cat(share).double().sub_((white - nearest).square_().sum(dim=1), alpha=0.5)


def _products(rows: Tensor, screen: Tensor) -> Tensor:
    """Return the products of all rows with all kernels, (N, M)."""
    if not screen.is_mkldnn:
        return rows @ screen.T
    products: Tensor = linear(rows.to_mkldnn(), screen).to_dense()
    return products


def _enough(rows: Tensor) -> Tensor:
    """Return rows and zeros below them: products of few rows round otherwise than those of many."""
    missing = _LEAST_ROWS - len(rows)
    return rows if missing <= 0 else torch.cat([rows, rows.new_zeros(missing, rows.shape[1])])


def _density(points: Tensor, number: int) -> _Density:
    columns = _most_varying(points)
    count = len(points)
    points = points if len(columns) == points.shape[1] else points.index_select(1, columns)
    centre = points.mean(dim=0)
    points -= centre
    covariance = _lower_product(points).div_(count - 1)
    moving = (covariance.diagonal() > _LEAST_VARIANCE).nonzero().flatten()
    if len(moving) == 0:
        raise InvalidData(f"lsa needs neurons that vary on reference inputs of class {number}, got none")
    if len(moving) < len(columns):
        columns, centre, points = columns[moving], centre[moving], points.index_select(1, moving)
        covariance = covariance[moving][:, moving]
    dimensions = len(columns)
    covariance *= count ** (-2 / (dimensions + 4))
    # Differs: neurons that go together make a covariance singular, and dnn-tip then replaces its diagonal; here a
    # millionth of the mean variance is added, always.
    covariance.diagonal().add_(_RIDGE * covariance.diagonal().mean())
    lower = torch.linalg.cholesky(covariance)
    log_root = float(lower.diagonal().log().sum())
    constant = math.log(count) + dimensions / 2 * math.log(2 * math.pi) + log_root
    white = _whitened(points, lower)
    # -|w - p|^2 / 2 is w p - |p|^2 / 2, one product of matrices, but for a |w|^2 / 2 that all kernels share.
    screen = _extended(white, torch.linalg.vector_norm(white, dim=1).square_().div_(-2))
    # oneDNN's products use all that a processor has, and are 1.6 to 2 times as fast as MKL's on those of AMD.
    quick = screen.to_mkldnn() if torch.backends.mkldnn.is_available() else screen
    return _Density(columns, centre, lower, white, quick, constant)


def _lower_product(points: Tensor) -> Tensor:
    """Return the products of all pairs of columns, (D, D), on and below the diagonal; above it some are left out."""
    product = points.new_zeros(points.shape[1], points.shape[1])
    for start in range(0, len(product), _BLOCK):
        product[start:, start : start + _BLOCK] = points[:, start:].T @ points[:, start : start + _BLOCK]
    return product


def _most_varying(points: Tensor) -> Tensor:
    """Return which columns may take part, int64: where there are few, all, whose variances the covariance has."""
    if points.shape[1] <= _MOST:
        return torch.arange(points.shape[1])
    return points.var(dim=0).argsort(descending=True, stable=True)[:_MOST]


def _whitened(points: Tensor, lower: Tensor) -> Tensor:
    """Return points (N, D) in coordinates in which the kernels are standard normal laws."""
    # Solved for, not multiplied by an inverse: half the work, because the factor is triangular.
    white: Tensor = torch.linalg.solve_triangular(lower, points.T, upper=False).T
    return white


def _extended(white: Tensor, last: Tensor) -> Tensor:
    """Return points (N, D) with one more column, in single precision."""
    made = torch.empty(len(white), white.shape[1] + 1)
    made[:, :-1], made[:, -1] = white, last
    return made
