import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.proportion import proportion


def test_by_hand() -> None:
    found = count_mean(BoundedCounts(np.array([0.0, 0.0, 2.0, 4.0]), 9))
    broken = proportion(2, 4)
    # Of those that have any: mean 3, variance 2; moderated by two counts of 0.5.
    reach = stats.t.ppf(0.975, 1) * math.sqrt((2 / 9 + 2 * 0.5) / 3 / 2)
    below = math.hypot(math.log(0.5 / broken.low), min(reach, math.log(3)))
    above = math.hypot(math.log(broken.high / 0.5), min(reach, math.log(9 / 3)))
    assert found.mean == 1.5
    assert found.ci95 == pytest.approx((1.5 * math.exp(-below), 1.5 * math.exp(above)))


def test_amounts_by_hand() -> None:
    found = count_mean(BoundedCounts(np.array([0.5, 1.0, 1.0, 4.0]), 50, least=0))
    # The median is 1, above it lies 4: squared logarithm 1.9218, times 1 + 2 / 4, is 2.883, and e to that less one is
    # 16.86; the variance that is seen, 2.5625, over the squared mean, 2.6406, is less. Two of 2.0 are supposed.
    spread = math.expm1(math.log(4) ** 2 * 1.5)
    reach = stats.t.ppf(0.975, 3) * math.sqrt((3 * spread + 2 * 2.0) / 5 / 4)
    share = proportion(4, 4)
    above = math.hypot(math.log(share.high), min(reach, math.log(50 / 1.625)))
    below = math.hypot(math.log(1 / share.low), reach)
    assert spread == pytest.approx(16.86, abs=0.01)
    assert found.ci95 == pytest.approx((1.625 * math.exp(-below), 1.625 * math.exp(above)))


def test_nothing_found_does_not_mean_that_nothing_can_be() -> None:
    found = count_mean(BoundedCounts(np.zeros(20), 9))
    assert (found.mean, found.low) == (0, 0)
    assert found.high == pytest.approx(9 * proportion(0, 20).high)


def test_shares_have_exact_intervals() -> None:
    found = count_mean(BoundedCounts(np.array([0.0, 1.0, 1.0, 1.0, 0.0]), 1))
    assert found.ci95 == pytest.approx(proportion(3, 5).ci95)


def test_equal_counts_have_width() -> None:
    found = count_mean(BoundedCounts(np.full(8, 3.0), 9))
    assert found.ci95 == pytest.approx((1.75, 3.96), abs=0.01)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_stays_inside_what_is_possible(counts: list[int]) -> None:
    found = count_mean(BoundedCounts(np.array(counts, dtype=float), 9))
    assert 0 <= found.low <= found.mean <= found.high <= 9 + 1e-12


def test_many_seeds_agree_with_the_normal_law() -> None:
    counts = np.random.default_rng(0).poisson(3, 4000).astype(float)
    found = count_mean(BoundedCounts(counts, 50))
    reach = 1.96 * counts.std() / math.sqrt(4000)
    assert found.high - found.low == pytest.approx(2 * reach, rel=0.1)
