"""Multimodal likelihood-based surprise adequacy (Kim and Yoo, AST 2021; Weiss and Tonella, ISSTA 2022)."""

import warnings

import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from torch import Tensor

from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class

__all__ = ["mlsa"]

_MODES = 3


def mlsa(neurons: Tensor, predicted: Tensor, traces: Traces) -> Tensor:
    r"""How unlikely the neurons of an input are under a mixture of normal laws of its class.

    .. math:: \mathrm{MLSA}(x) = -\log \sum_{m=1}^{3} w_m \, N(\alpha(x); \mu_m, \Sigma_m)

    Weights, means and covariances are fitted to the training inputs with the same answer.

    Parameters
    ----------
    neurons : Tensor of shape (N, U)
    predicted : int64 Tensor of shape (N,)
    traces : Traces
        Of training data.

    Returns
    -------
    Tensor of shape (N,)
        In nats, of any sign: a density may exceed one.

    References
    ----------
    Kim and Yoo, "Multimodal Surprise Adequacy Analysis of Inputs for Natural Language Processing DNN Models", 2021.
    Weiss and Tonella, "Simple Techniques Work Surprisingly Well for Neural Network Test Prioritization", 2022.
    """

    def surprise(rows: Tensor, number: int) -> Tensor:
        mixture = traces.fit(("mlsa", number), lambda: _mixture(traces.of(number, least=_MODES)))
        return torch.from_numpy(-mixture.score_samples(rows.numpy()))

    return by_class(neurons, predicted, surprise)


def _mixture(points: Tensor) -> GaussianMixture:
    # Differs: dnn-tip begins the fit anew wherever numpy's generator stands; here it always begins at the same place,
    # so that a ranking can be repeated.
    mixture = GaussianMixture(n_components=_MODES, random_state=0)
    with warnings.catch_warnings():
        # A class of fewer modes, or a fit that could go on, is surprise all the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(points.numpy())
    return mixture
