"""Intervals of waiting times: tries until the first failure (F-measure), and the share of them that an order saves."""

import math

import numpy as np

from unnerve.studies.intervals._quantiles import log_reach
from unnerve.studies.intervals.interval import Interval

__all__ = ["saved_share", "waiting_time"]

_SPREAD = 2.5
"""Squared coefficient of variation that is supposed: 1 for tries with one chance of success, up to 1.7 measured where
the chance differs from input to input."""


def waiting_time(tries: np.ndarray, most: float) -> Interval:
    """Interval of a mean waiting time: Student's on the logarithmic scale, with a moderated spread.

    Parameters
    ----------
    tries : array of shape (R,)
        What each run took, >= 1.
    most : float
        What a run can take at most.

    Returns
    -------
    Interval
        In ``[1, most]``; all of it for a single run, of which nobody knows how much the next will differ.
    """
    mean = float(tries.mean())
    spread = float(tries.var(ddof=1)) / mean**2 if len(tries) > 1 else 0.0
    reach = min(log_reach(spread, len(tries), _SPREAD), math.log(most))
    return Interval(mean, max(1.0, mean * math.exp(-reach)), min(most, mean * math.exp(reach)))


def saved_share(random: np.ndarray, ranked: np.ndarray, most: float) -> Interval:
    """Interval of Inc, the share of the random order's tries that a ranking saves.

    The ratio of the two means, on the logarithmic scale; runs are taken in pairs, for both orders of a repeat met the
    same perturbations.

    Parameters
    ----------
    random, ranked : arrays of shape (R,)
        What each run took in either order, >= 1.
    most : float
        What a run can take at most.

    Returns
    -------
    Interval
        In ``[1 - most, 1)``.
    """
    ratio = float(ranked.mean() / random.mean())
    apart = ranked / ranked.mean() - random / random.mean()
    spread = float(apart.var(ddof=1)) if len(apart) > 1 else 0.0
    # Twice, because both means of the ratio have the supposed spread, and each can be off by all that is possible.
    reach = min(log_reach(spread, len(apart), 2 * _SPREAD), 2 * math.log(most))
    return Interval(1 - ratio, 1 - min(most, ratio * math.exp(reach)), 1 - max(1 / most, ratio * math.exp(-reach)))
