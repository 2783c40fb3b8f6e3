"""The two laws that intervals are made of: the binomial one for shares, Student's for spreads that are estimated."""

import math

from scipy.special import betaincinv, stdtrit

__all__ = ["NORMAL", "exact_ends", "log_reach", "student_quantile"]

NORMAL = 1.959963984540054
_LEVEL = 0.975
_FURTHER = 2
_SMALLEST = 1e-12


def exact_ends(successes: float, count: float) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's interval for a share; the counts may be fractions.

    References
    ----------
    Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", 1934;
    with fractions, Korn and Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", 1998.
    """
    # SciPy's function has no value where a parameter is zero; there the end is that of what is possible.
    low = float(betaincinv(successes, count - successes + 1, 1 - _LEVEL)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, count - successes, _LEVEL)) if successes < count else 1.0
    # A small fraction of a success has an end of 1e-300, which is nothing but the end of what numbers can be.
    return (low if low > _SMALLEST else 0.0), high


def student_quantile(values: float) -> float:
    """Return how many standard errors a mean of so many values reaches to either side; infinite for a single one."""
    return float(stdtrit(values - 1, _LEVEL)) if values > 1 else math.inf


def log_reach(spread: float, values: int, supposed: float) -> float:
    """Return how far a mean of positive, skewed values reaches on the logarithmic scale.

    A few skewed values often look less spread than they are, and equal ones not at all. So two further values are
    supposed that have the spread which such values are known to have; among many they do not weigh.

    Parameters
    ----------
    spread : float
        Variance of the values divided by the square of their mean.
    values : int
        How many there are.
    supposed : float
        The same ratio for such values in general.

    References
    ----------
    The moderated variance of Smyth, "Linear models and empirical Bayes methods for assessing differential expression
    in microarray experiments", 2004.
    """
    moderated = ((values - 1) * spread + _FURTHER * supposed) / (values - 1 + _FURTHER)
    return student_quantile(values) * math.sqrt(moderated / values)
