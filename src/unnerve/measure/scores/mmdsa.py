"""Surprise adequacy by Mahalanobis' distance within clusters (Weiss and Tonella, ISSTA 2022)."""

import warnings

import torch
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_score
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores._by_class import by_class
from unnerve.measure.scores._mahalanobis import mahalanobis, whitening

__all__ = ["mmdsa"]

_CLUSTERS = range(2, 6)
_SHARE, _MOST = 0.3, 5000
_LEAST = 20  # of whose share there are more than clusters
_STARTS = 10


def mmdsa(neurons: Tensor, traces: Traces) -> Tensor:
    r"""How far the neurons of an input are from the mean of the cluster of training inputs that it falls into.

    .. math:: \mathrm{MMDSA}(x) = \sqrt{(\alpha(x) - \mu_c)^T S_c^{-1} (\alpha(x) - \mu_c)}

    The clusters are two to five, by k-means: as many as have the largest mean silhouette. Answers have no part in it.

    Parameters
    ----------
    neurons : Tensor of shape (N, U)
    traces : Traces
        Of training data.

    Returns
    -------
    Tensor of shape (N,)
        >= 0, in standard deviations: zero at the mean of a cluster.

    References
    ----------
    Weiss and Tonella, "Simple Techniques Work Surprisingly Well for Neural Network Test Prioritization", 2022.
    """
    centres = traces.fit("mmdsa", lambda: _centres(traces.neurons.double()))

    def fitted(number: int) -> tuple[Tensor, Tensor]:
        points = traces.neurons.double()
        return whitening(points[_nearest(points, centres) == number])

    def surprise(rows: Tensor, number: int) -> Tensor:
        return mahalanobis(rows, traces.fit(("mmdsa", number), lambda: fitted(number)))

    return by_class(neurons, _nearest(neurons.double(), centres), surprise)


def _centres(points: Tensor) -> Tensor:
    """Return the centres of the clusters (K, U), of a share of the points (R, U)."""
    if len(points) < _LEAST:
        raise InvalidData(f"mmdsa needs >= {_LEAST} reference inputs, got {len(points)}")
    # Differs: dnn-tip takes the whole share, however large, and begins k-means wherever numpy's generator stands. The
    # silhouette compares all pairs, and a ranking must be the same when it is repeated.
    order = Streams(0, ["mmdsa"]).uniform(0, 0, (len(points),))[0].argsort(stable=True)
    sample = points[order[: min(int(_SHARE * len(points)), _MOST)]].numpy()
    best, centres = -torch.inf, torch.empty(0)
    for count in _CLUSTERS:
        found = KMeans(count, n_init=_STARTS, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of fewer different points than clusters
            labels = found.fit_predict(sample)
        score = silhouette_score(sample, labels) if 1 < len(set(labels)) < len(sample) else -torch.inf
        if score > best:
            best, centres = score, torch.from_numpy(found.cluster_centers_)
    if len(centres) == 0:
        raise InvalidData("mmdsa needs neurons that vary on reference inputs, got none")
    return centres


def _nearest(points: Tensor, centres: Tensor) -> Tensor:
    """Return which centre (K, U) is nearest to each point (N, U), int64 (N,)."""
    return torch.stack([(points - centre).square().sum(dim=1) for centre in centres]).argmin(dim=0)
