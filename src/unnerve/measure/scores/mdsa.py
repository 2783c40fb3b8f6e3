"""Surprise adequacy by Mahalanobis' distance (Kim et al., ESEC/FSE 2020)."""

from torch import Tensor

from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class
from unnerve.measure.scores._mahalanobis import mahalanobis, whitening

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
        return mahalanobis(rows, traces.fit(("mdsa", number), lambda: whitening(traces.of(number, least=2))))

    return by_class(neurons, predicted, surprise)
