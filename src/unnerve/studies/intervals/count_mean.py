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


@dataclass(frozen=True, eq=False)
class BoundedCounts:
    """What was found from each seed, or other amounts of which many are zero.

    Parameters
    ----------
    counts : array of shape (N,)
        Whole numbers >= 0, N >= 1; 0 and 1 where it only counts whether anything was found.
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
    would know nothing of what it has not seen: of no error in 20 seeds it makes an interval from 0 to 0.

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
    reach = log_reach(spread, len(some), _SPREAD)
    fewest = math.log(each / found.least) if found.least else math.inf
    below = math.hypot(math.log(broken.mean / broken.low), min(reach, fewest))
    above = math.hypot(math.log(broken.high / broken.mean), min(reach, math.log(found.most / each)))
    mean = float(found.counts.mean())
    return Interval(mean, mean * math.exp(-below), min(found.most, mean * math.exp(above)))
