"""The interval of a share: accuracy, seeds broken, patterns."""

from unnerve.studies.intervals._quantiles import exact_ends
from unnerve.studies.intervals.interval import Interval

__all__ = ["proportion"]


def proportion(successes: int, count: int) -> Interval:
    """Exact interval of a share, by Clopper and Pearson.

    It covers at least 95 % whatever the share is, where Wilson's covers 84 % of shares near 0 or 1: of ten inputs one
    failed, and Wilson's interval leaves out a share of 1.7 %.

    Parameters
    ----------
    successes, count : int
        0 <= successes <= count, count >= 1.

    Returns
    -------
    Interval
        In ``[0, 1]``.

    References
    ----------
    Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", 1934.
    """
    return Interval(successes / count, *exact_ends(successes, count))
