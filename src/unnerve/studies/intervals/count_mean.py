"""The interval of a mean count per seed: errors, and kinds of errors."""

import math
from dataclasses import dataclass

import numpy as np

from unnerve.studies.intervals._quantiles import log_reach
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["BoundedCounts", "count_mean"]

_SPREAD = 0.5
"""Squared coefficient of variation that is supposed of the counts that are not zero."""
_SPREAD_OF_AMOUNTS = 2.0
"""The same of amounts, which may be far more spread than counts."""
_FEW = 2
"""The upper half of n amounts rises too little by about this share of 1 / n (measured on lognormal ones)."""
_LARGEST = 3.0
"""Of the variance of logarithms: beyond it the interval is all that is possible anyway."""


@dataclass(frozen=True, eq=False)
class BoundedCounts:
    """What was found from each seed, or other amounts of which many are zero.

    Parameters
    ----------
    counts : array of shape (N,)
        Whole numbers >= 0, N >= 1; 0 and 1 where it only counts whether anything was found. Any numbers >= 0 if
        ``least`` is 0.
    most : float
        The largest count that is possible, >= ``least``.
    least : float
        The smallest one that is possible beside zero; 0 for amounts that are no whole numbers.
    """

    counts: np.ndarray
    most: float
    least: float = 1.0


def count_mean(found: BoundedCounts) -> Interval:
    """Interval of a mean of counts of which many may be zero.

    The mean is the share of seeds with any, times their mean count: the exact interval of the share and Student's
    interval of the counts on the logarithmic scale, put together as independent reaches on that scale. A bootstrap
    would know nothing of what it has not seen: of no error in 20 seeds it makes an interval from 0 to 0. Of amounts the
    largest decide, and few of them seldom hold the largest: they are taken to be as spread as their upper half rises.

    Returns
    -------
    Interval
        In ``[0, most]``.

    References
    ----------
    The recovery of variances of Zou and Donner, "Construction of confidence limits about effect measures", 2008.
    """
    some = found.counts[found.counts > 0]
    broken = proportion(len(some), len(found.counts))
    if not len(some):
        return Interval(0.0, 0.0, broken.high * found.most)
    each = float(some.mean())
    spread = float(some.var(ddof=1)) / each**2 if len(some) > 1 else 0.0
    if found.least:
        reach = log_reach(spread, len(some), _SPREAD)
    else:
        reach = log_reach(max(spread, _spread_by_the_upper_half(some)), len(some), _SPREAD_OF_AMOUNTS)
    fewest = math.log(each / found.least) if found.least else math.inf
    below = math.hypot(math.log(broken.mean / broken.low), min(reach, fewest))
    above = math.hypot(math.log(broken.high / broken.mean), min(reach, math.log(found.most / each)))
    mean = float(found.counts.mean())
    return Interval(mean, mean * math.exp(-below), min(found.most, mean * math.exp(above)))


def _spread_by_the_upper_half(amounts: np.ndarray) -> float:
    """Return the squared coefficient of variation of the lognormal law that has the larger half of these amounts."""
    middle = float(np.median(amounts))
    upper = amounts[amounts > middle]
    if not len(upper):
        return 0.0
    variance = float(np.square(np.log(upper / middle)).mean()) * (1 + _FEW / len(amounts))
    return math.expm1(min(variance, _LARGEST))
