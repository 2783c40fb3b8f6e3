"""The interval of a ratio of two mean counts per seed: what one method found, over what another did."""

import math

import numpy as np

from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["count_ratio"]

_FURTHER = 2
"""Seeds that are supposed beside those seen, on which the two methods have nothing to do with each other."""


def count_ratio(first: BoundedCounts, second: BoundedCounts) -> Interval | None:
    """Interval of the mean of ``first`` divided by that of ``second``, on the same seeds.

    The two means have intervals of their own (:func:`count_mean`), which are put together on the logarithmic scale
    with the correlation of the counts. Two further, unrelated seeds are supposed: else equal counts would be certain
    to stay equal.

    Returns
    -------
    Interval or None
        In ``[0, inf]``; None if neither found anything.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach", 2008.
    """
    own, other = count_mean(first), count_mean(second)
    if own.mean == 0 and other.mean == 0:
        return None
    if own.mean == 0:
        return Interval(0.0, 0.0, own.high / other.low)
    if other.mean == 0:
        return Interval(math.inf, own.low / other.high, math.inf)
    correlation = _correlation(first.counts, second.counts)
    ratio = own.mean / other.mean
    # The ratio is low where the first mean is low and the second high.
    below = _joined(math.log(own.mean / own.low), math.log(other.high / other.mean), correlation)
    above = _joined(math.log(own.high / own.mean), math.log(other.mean / other.low), correlation)
    return Interval(ratio, ratio * math.exp(-below), ratio * math.exp(above))


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    spread = float(first.std() * second.std())
    if spread == 0:
        return 0.0
    seen = float(((first - first.mean()) * (second - second.mean())).mean()) / spread
    return seen * len(first) / (len(first) + _FURTHER)


def _joined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(one**2 + other**2 - 2 * correlation * one * other)
