"""The interval of a figure that is no mean: slopes, correlations, ratios, and differences of areas."""

import math
from collections.abc import Callable

import numpy as np

from unnerve.studies.intervals._quantiles import exact_ends, student_quantile
from unnerve.studies.intervals._shares import as_share
from unnerve.studies.intervals.interval import Interval

__all__ = ["jackknife"]

_PARTS = 40
_OF_NORMAL = 1.5
"""(Sum of squares)^2 / (sum of fourth powers) tells of how many values a variance was made: of a third of them if they
are spread normally, and of fewer where few decide. Times this number, intervals of slopes cover (measured)."""
_OF_BOUNDED = 0.75
"""The same of figures with bounds: differences of areas of few faults, of which a good order moves one or two."""
_FURTHER = 1
"""Inputs that are supposed to have the largest spread that is possible, beside those that were seen."""


def jackknife(
    size: int, figure: Callable[[np.ndarray], float | None], low: float = -math.inf, high: float = math.inf
) -> Interval | None:
    """Interval of a figure of some inputs, by leaving out one part of them after the other.

    The spread of what is left tells the figure's standard error. Where the figure has bounds, it is treated as a share
    with that error, which makes the interval lopsided close to a bound; and some inputs of the largest possible
    spread are supposed, so that inputs that do not differ have an interval too; and where there is no figure without
    some part, the interval is all that is possible. Percentiles of a bootstrap are not used: figures of inputs that are
    drawn twice are biased, which moves them away from the figure itself.

    Parameters
    ----------
    size : int
        Inputs, >= 1.
    figure : callable
        Of the numbers of some inputs, in ascending order; None where there is none.
    low, high : float
        What is possible.

    Returns
    -------
    Interval or None
        In ``[low, high]``, all of it for a single input; None where the figure of all inputs is None.

    References
    ----------
    Shao and Wu, "A general theory for jackknife variance estimation", 1989, on leaving out several at a time.
    """
    rows = np.arange(size)
    mean = figure(rows)
    if mean is None:
        return None
    parts = min(size, _PARTS)
    left = [figure(rows[rows % parts != part]) for part in range(parts)] if size > 1 else []
    known = np.array([one for one in left if one is not None])
    if len(known) < 2:
        return Interval(mean, low, high)
    error = math.sqrt((parts - 1) * float(known.var()))
    if math.isinf(low) or math.isinf(high):
        reach = student_quantile(_telling(known, _OF_NORMAL)) * error
        return Interval(mean, max(low, mean - reach), min(high, mean + reach))
    if len(known) < parts:  # without some part there is no figure: it rests on that part alone
        return Interval(mean, low, high)
    middle = (mean - low) * (high - mean)
    if not middle:  # of a share, this is where all inputs are alike
        share = (mean - low) / (high - low)
        return Interval(mean, *(low + (high - low) * end for end in exact_ends(share * size, size)))
    largest = middle / size  # of the squared error, if the figure were a mean
    supposed = ((size - 1) * error**2 + _FURTHER * largest) / (size - 1 + _FURTHER)
    return as_share(mean, math.sqrt(max(error**2, supposed)), _telling(known, _OF_BOUNDED), (low, high))


def _telling(left: np.ndarray, known: float) -> float:
    """Return of how many values the error was estimated, three at least if there are so many."""
    squares = np.square(left - left.mean())
    fourths = float(np.square(squares).sum())
    if not fourths:
        return len(left)
    return min(len(left), max(3.0, known * float(squares.sum()) ** 2 / fourths))
