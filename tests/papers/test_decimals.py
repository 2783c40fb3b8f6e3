from unnerve.papers._decimals import decimals
from unnerve.studies.intervals.interval import Interval


def test_ends_are_told_apart() -> None:
    assert decimals(Interval(0.5, 0.4, 0.6), 2) == 2
    assert decimals(Interval(0.00064, 0.000638, 0.000642), 4) == 6
    assert decimals(Interval(0.5, 0.5, 0.5), 2) == 2
