"""The interval of a mean over a few networks or data sets."""

import math
from collections.abc import Sequence

import numpy as np

from unnerve.studies.intervals._quantiles import student_quantile
from unnerve.studies.intervals.interval import Interval

__all__ = ["mean_ci95", "scatter", "student"]

_EQUAL = 1e-12


def student(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> Interval:
    """Student's interval of a mean of a few independent values that scatter about evenly.

    Parameters
    ----------
    values : sequence of float
        At least one.
    low, high : float
        What is possible.

    Returns
    -------
    Interval
        In ``[low, high]``; all of it for a single value.

    References
    ----------
    Student, "The probable error of a mean", 1908.
    """
    mean = float(np.mean(values))
    if len(values) == 1:
        return Interval(mean, low, high)
    reach = student_quantile(len(values)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Interval(mean, max(low, mean - reach), min(high, mean + reach))


def scatter(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> Interval | None:
    """Return :func:`student`'s interval of values that were seen to scatter, or None.

    Batches of which none adds anything would have an interval without width, which says that the next one cannot
    either. A single value and equal ones do not tell how far others lie, and nothing is said.
    """
    # Equal but for the last digits of sums: no scatter.
    if len(values) < 2 or float(np.ptp(values)) <= _EQUAL * max(1.0, float(np.max(np.abs(values)))):
        return None
    return student(values, low, high)


def mean_ci95(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> tuple[float, float] | None:
    """Return the ends of :func:`student`'s interval, or None for a single value, which has none."""
    return student(values, low, high).ci95 if len(values) > 1 else None
