"""Surprise adequacy by Mahalanobis' distance (Kim et al., ESEC/FSE 2020)."""

import torch
from torch import Tensor

from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class

__all__ = ["mdsa"]


def mdsa(neurons: Tensor, predicted: Tensor, traces: Traces) -> Tensor:
    r"""How far the neurons of an input are from the mean of training inputs with the same answer.

    .. math:: \mathrm{MDSA}(x) = \sqrt{(\alpha(x) - \mu)^T S^{-1} (\alpha(x) - \mu)}

    Where neurons depend on each other, S is inverted in the directions in which they vary.

    Parameters
    ----------
    neurons : Tensor of shape (N, U)
    predicted : int64 Tensor of shape (N,)
    traces : Traces
        Of training data.

    Returns
    -------
    Tensor of shape (N,)
        >= 0, in standard deviations: zero at the mean.

    References
    ----------
    Kim et al., "Reducing DNN Labelling Cost using Surprise Adequacy: An Industrial Case Study", 2020.
    """

    def surprise(rows: Tensor, number: int) -> Tensor:
        mean, whitening = traces.fit(("mdsa", number), lambda: _whitening(traces.of(number, least=2)))
        distance: Tensor = ((rows - mean) @ whitening).norm(dim=1)
        return distance

    return by_class(neurons, predicted, surprise)


def _whitening(points: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean (U,) and the matrix (U, U) that gives all directions in which points vary the variance one."""
    values, vectors = torch.linalg.eigh(torch.cov(points.T, correction=0).reshape(points.shape[1], -1))
    # As the pseudo-inverse does: directions without variance, up to rounding, tell nothing.
    least = values.amax() * len(values) * torch.finfo(values.dtype).eps
    # One over the root of infinity is zero: such a direction has no part in the distance.
    return points.mean(dim=0), vectors * torch.where(values > least, values, torch.inf).rsqrt()
