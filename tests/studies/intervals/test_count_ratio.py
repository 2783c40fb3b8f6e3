import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.count_ratio import count_ratio

MANY = BoundedCounts(np.array([0, 3, 5, 8, 2, 0, 7, 4] * 5, dtype=float), 20)
FEW = BoundedCounts(np.array([1, 0, 2, 0, 4, 0, 1, 0] * 5, dtype=float), 20)
NONE = BoundedCounts(np.zeros(40), 20)


def test_a_ratio_and_its_inverse_are_the_same_statement() -> None:
    one, other = count_ratio(MANY, FEW), count_ratio(FEW, MANY)
    assert one is not None
    assert other is not None
    assert one.mean == pytest.approx(29 / 8)
    assert (1 / other.mean, 1 / other.high, 1 / other.low) == pytest.approx((one.mean, one.low, one.high))


def test_unrelated_counts_reach_as_far_as_both_together() -> None:
    first, second = count_mean(MANY), count_mean(BoundedCounts(np.full(40, 2.0), 20))
    found = count_ratio(MANY, BoundedCounts(np.full(40, 2.0), 20))
    assert found is not None
    below = math.hypot(math.log(first.mean / first.low), math.log(second.high / second.mean))
    assert found.low == pytest.approx(found.mean * math.exp(-below))


def test_counts_that_rise_together_tell_the_ratio_better() -> None:
    turned = BoundedCounts(MANY.counts[::-1].copy(), 20)
    alike, apart = count_ratio(MANY, BoundedCounts(MANY.counts * 2, 20)), count_ratio(MANY, turned)
    assert alike is not None
    assert apart is not None
    assert alike.mean == pytest.approx(0.5)
    assert 0 < math.log(alike.high / alike.low) < 0.6 * math.log(apart.high / apart.low)


def test_where_one_found_nothing_the_ratio_has_one_end() -> None:
    nothing, all_of_it = count_ratio(NONE, FEW), count_ratio(FEW, NONE)
    assert nothing is not None
    assert all_of_it is not None
    assert (nothing.mean, nothing.low) == (0, 0)
    assert 0 < nothing.high < 5
    assert (all_of_it.mean, all_of_it.high) == (math.inf, math.inf)
    assert all_of_it.low == pytest.approx(1 / nothing.high)
    assert count_ratio(NONE, NONE) is None


MOST = 9
ROUNDING = 1 + 1e-9


@given(st.lists(st.tuples(st.integers(0, MOST), st.integers(0, MOST)), min_size=1, max_size=30))
def test_stays_inside_what_is_possible(pairs: list[tuple[int, int]]) -> None:
    first, second = (BoundedCounts(np.array(counts, dtype=float), MOST) for counts in zip(*pairs, strict=True))
    own, other, found = count_mean(first), count_mean(second), count_ratio(first, second)
    if found is None:
        assert own.mean == other.mean == 0
        return
    assert 0 <= found.low <= found.mean <= found.high
    assert (found.low > 0, math.isfinite(found.high)) == (own.mean > 0, other.mean > 0)
    # A ratio is lowest where the first mean is at its low end and the second at its high one.
    assert own.low <= found.low * other.high * ROUNDING
    if other.mean > 0:
        assert found.high * other.low <= min(own.high, MOST) * ROUNDING


def test_a_single_seed_has_ends_by_hand() -> None:
    # Of one seed that broke, the share broken lies between 0.025 and 1, and the count of one cannot be larger.
    one = BoundedCounts(np.ones(1), 1)
    found = count_ratio(one, one)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((1, 0.025, 40))
