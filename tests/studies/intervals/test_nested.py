import math

import pytest

from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested


def shares(*means: float) -> list[Interval | None]:
    return [Interval(mean, max(0.0, mean - 0.1), min(1.0, mean + 0.1)) for mean in means]


def test_networks_that_agree_are_as_wide_as_their_inputs() -> None:
    found = nested(shares(0.5, 0.5, 0.5), 0, 1)
    assert found is not None
    # Not narrower by the square root of three: all three may have been tried on the same inputs.
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.4, 0.6))


def test_networks_that_agree_but_for_rounding_are_no_wider() -> None:
    # The mean of three such numbers is not the number itself.
    found = nested([Interval(0.7625, 0.7, 0.8)] * 3, -1.1, 1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.7, 0.8))


def test_networks_that_differ_widen_it_by_students_law() -> None:
    found = nested([Interval(value, value, value) for value in (1.0, 2.0, 3.0)])
    assert found is not None
    # t of two degrees of freedom is 4.303, the standard error of 1, 2, 3 is 1 / sqrt(3).
    assert (found.mean, found.low, found.high) == pytest.approx((2, 2 - 2.484, 2 + 2.484), abs=1e-3)


def test_both_reaches_are_put_together() -> None:
    found = nested([Interval(value, value - 1, value + 2) for value in (1.0, 2.0, 3.0)])
    assert found is not None
    assert found.mean - found.low == pytest.approx(math.hypot(2.484, 1), abs=1e-3)
    assert found.high - found.mean == pytest.approx(math.hypot(2.484, 2), abs=1e-3)


def test_it_stays_inside_what_is_possible_and_is_lopsided_close_to_it() -> None:
    found = nested(shares(0.0, 0.02, 0.0), 0, 1)
    assert found is not None
    assert 0 <= found.low < found.mean < found.high <= 1
    assert found.high - found.mean > 2 * (found.mean - found.low)


def test_of_nothing_found_the_reach_over_inputs_remains() -> None:
    found = nested([Interval(0.0, 0.0, 0.07)] * 5, 0, 1)
    assert found is not None
    assert found.ci95 == pytest.approx((0, 0.07))


def test_a_single_network_has_its_own_and_none_has_none() -> None:
    assert nested([None, Interval(0.5, 0.4, 0.6)], 0, 1) == Interval(0.5, 0.4, 0.6)
    assert nested([None, None]) is None
    assert nested([]) is None
