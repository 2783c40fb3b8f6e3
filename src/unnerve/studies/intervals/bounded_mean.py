"""The interval of a mean of numbers that lie between two bounds: confidence, variation ratios, entropies, Eff."""

import numpy as np

from unnerve.studies.intervals._quantiles import NORMAL, exact_ends, student_quantile
from unnerve.studies.intervals.interval import Interval

__all__ = ["bounded_mean"]

_FURTHER = 5
"""Values that are supposed to have the largest spread that is possible, beside those that were seen."""


def bounded_mean(values: np.ndarray, low: float, high: float) -> Interval:
    """Interval of a mean of bounded, perhaps very skewed numbers.

    Such a mean is treated as a share: of as many inputs as would have its variance. Close to a bound this has the
    lopsidedness that it must have, and where all values are equal, the width of so many equal answers.

    Parameters
    ----------
    values : array of shape (N,)
        In ``[low, high]``, N >= 1.
    low, high : float
        What is possible, low < high.

    Returns
    -------
    Interval
        In ``[low, high]``.

    References
    ----------
    Korn and Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", 1998.
    """
    mean, count = float(values.mean()), len(values)
    if count == 1:
        return Interval(mean, low, high)
    scaled = np.clip((values - low) / (high - low), 0, 1)
    share = float(scaled.mean())
    relative = 1.0
    if np.ptp(scaled) > 0:
        seen = float(scaled.var(ddof=1)) / (share * (1 - share))
        relative = min(1.0, ((count - 1) * seen + _FURTHER) / (count - 1 + _FURTHER))
    effective = count / relative * (NORMAL / student_quantile(count)) ** 2
    ends = exact_ends(share * effective, effective)
    return Interval(mean, *(low + (high - low) * end for end in ends))
