"""The interval of a mean difference of paired counts or amounts: what one method found from each seed, and another."""

import math

import numpy as np

from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["count_difference"]


def count_difference(first: BoundedCounts, second: BoundedCounts) -> Interval:
    """Interval of the mean of ``first - second`` over the seeds.

    The mean surplus of either method over the other has an interval of its own (:func:`count_mean`); the two are put
    together, with their correlation, which is negative, for a seed has one surplus at most. So also seeds that do not
    differ at all say how much the next ones might: a bootstrap of equal rows has no width, and calls everything
    significant.

    Returns
    -------
    Interval
        In ``[-second.most, first.most]``.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach", 2008; for shares,
    method 10 of Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
    paired data", 1998, with exact intervals.
    """
    more, less = np.maximum(first.counts - second.counts, 0), np.maximum(second.counts - first.counts, 0)
    up, down = _surplus(more, first, second), _surplus(less, second, first)
    product = float(more.std() * less.std())
    correlation = -up.mean * down.mean / product if product > 0 else 0.0
    mean = up.mean - down.mean
    low = mean - _joined(up.mean - up.low, down.high - down.mean, correlation)
    high = mean + _joined(up.high - up.mean, down.mean - down.low, correlation)
    return Interval(mean, max(low, -second.most), min(high, first.most))


def _surplus(surplus: np.ndarray, own: BoundedCounts, other: BoundedCounts) -> Interval:
    if surplus.any():
        return count_mean(BoundedCounts(surplus, own.most, own.least))
    # It never had more than the other. How much more it might have had is told by the largest count that it reached;
    # if it found nothing, by how much of what was possible the other reached.
    largest = own.most
    if own.counts.any():
        largest = float(own.counts.max())
    elif other.counts.any():
        largest = max(own.least, own.most * float(other.counts.max()) / other.most)
    return Interval(0.0, 0.0, proportion(0, len(surplus)).high * largest)


def _joined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))
