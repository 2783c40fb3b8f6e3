"""A bounded figure with a standard error, treated as a share of as many inputs as would have that error."""

from unnerve.studies.intervals._quantiles import NORMAL, exact_ends, student_quantile
from unnerve.studies.intervals.interval import Interval

__all__ = ["as_share"]

_ROUNDING = 1e-7


def as_share(mean: float, error: float, values: float, bounds: tuple[float, float]) -> Interval:
    """Return the interval of a figure between bounds whose error was estimated from so many values.

    Parameters
    ----------
    mean : float
    error : float
        Standard error; without one, or at a bound, the interval has no width.
    values : float
        How many told it, >= 2.
    bounds : (float, float)
        What is possible.

    References
    ----------
    Korn and Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", 1998.
    """
    low, high = bounds
    share, scaled = (mean - low) / (high - low), error / (high - low)
    # Equal values have an error of their rounding; taken for a share of 1e30 inputs, it has no quantiles.
    if scaled < _ROUNDING or not 0 < share < 1:
        return Interval(mean, mean, mean)
    effective = share * (1 - share) / scaled**2 * (NORMAL / student_quantile(values)) ** 2
    # A figure that is no mean can have an error that no share has; its interval is all that is possible then.
    ends = exact_ends(share * effective, effective)
    return Interval(mean, *(low + (high - low) * end for end in ends))
