"""A sequential test of a share against a limit, with an error that holds whenever one stops (Ville, 1939)."""

import numpy as np
from scipy.special import betainc, betaln

__all__ = ["log_evidence"]


def log_evidence(hits: np.ndarray, draws: int, limit: float, above: bool) -> np.ndarray:
    r"""Return how strongly draws speak for a share on one side of a limit, as a logarithm.

    The likelihood of the draws, averaged over shares on that side, over their likelihood at the limit. Averaged over
    the draws it never exceeds one if the true share is at the limit or on its other side; so the probability that it
    ever reaches ``1 / error`` is at most ``error``, however often one looks.

    .. math:: \frac{1}{v} \int_0^v \frac{q^k (1 - q)^{n-k}}{v^k (1 - v)^{n-k}} dq

    Parameters
    ----------
    hits : int array of shape (N,)
        k, of n draws.
    draws : int
        n.
    limit : float
        v, in ``(0, 1)``.
    above : bool
        Whether it is the side above the limit.

    Returns
    -------
    float64 array of shape (N,)
        Compare with ``-log(error)``.

    References
    ----------
    Robbins, "Statistical Methods Related to the Law of the Iterated Logarithm", 1970.
    """
    k = np.asarray(hits, dtype=np.float64)
    if above:  # the share of misses then lies below its limit
        k, limit = draws - k, 1 - limit
    with np.errstate(divide="ignore"):  # no mass at all on that side: minus infinity
        # SciPy's incomplete beta function is a share of the whole one; the integral is their product.
        mass = np.log(betainc(k + 1, draws - k + 1, limit)) + betaln(k + 1, draws - k + 1)
    found: np.ndarray = mass - np.log(limit) - k * np.log(limit) - (draws - k) * np.log1p(-limit)
    return found
