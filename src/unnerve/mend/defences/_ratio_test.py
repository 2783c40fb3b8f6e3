"""Wald's sequential test along the mutants of a model (Wang et al., ICSE 2019)."""

import math

import numpy as np

__all__ = ["ratio_test", "votes_needed"]


def ratio_test(votes: np.ndarray, rate: float, error: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Run Wald's test along the mutants, between 0.9 and 1.1 of the rate of clean inputs.

    Parameters
    ----------
    votes : bool array of shape (N, M)
        Which mutants change the answer, in their order.

    Returns
    -------
    odds : float64 array of shape (N,)
        Log odds where the test ended.
    adversarial : bool array of shape (N,)
        Where it decided for a rate above that of clean inputs.
    ended : bool array of shape (N,)
        Where it decided at all.
    """
    high, low = _hypotheses(rate)
    changed = votes.cumsum(axis=1)
    # Differs: the released code leaves the current vote out of the ratio, and looks only after a change.
    total = np.arange(1, votes.shape[1] + 1)
    odds = changed * math.log(high / low) + (total - changed) * math.log((1 - high) / (1 - low))
    bound = _bound(error)
    ended = np.abs(odds) >= bound
    place = np.where(ended.any(axis=1), ended.argmax(axis=1), votes.shape[1] - 1)
    final = odds[np.arange(len(votes)), place]
    return final, final >= bound, ended.any(axis=1)


def votes_needed(rate: float, error: float) -> int:
    """Return how many mutants must change an answer in a row before :func:`ratio_test` decides for adversarial."""
    high, low = _hypotheses(rate)
    return math.ceil(_bound(error) / math.log(high / low))


def _hypotheses(rate: float) -> tuple[float, float]:
    """Return the two rates that the test tells apart."""
    return min(1.1 * rate, 1 - 1e-6), min(0.9 * rate, 1 - 2e-6)


def _bound(error: float) -> float:
    return math.log((1 - error) / error)
