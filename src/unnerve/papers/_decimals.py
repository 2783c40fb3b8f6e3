"""How many decimals an interval is written with."""

from unnerve.studies.intervals.interval import Interval

__all__ = ["decimals"]

_MOST = 12


def decimals(value: Interval, least: int) -> int:
    """Return so many decimals, or as many more as it takes to tell the interval's ends apart."""
    # Rounded to one number, an interval would be read as one without width.
    for digits in range(least, _MOST):
        if f"{value.low:.{digits}f}" != f"{value.high:.{digits}f}":
            return digits
    return least
