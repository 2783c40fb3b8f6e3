import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unnerve.studies.intervals.waiting_time import saved_share, waiting_time

RUNS = st.lists(st.integers(1, 5000), min_size=1, max_size=12)


def test_by_hand() -> None:
    # Mean 3, variance 4, so a squared coefficient of variation of 4/9, moderated by two runs of 2.5.
    reach = stats.t.ppf(0.975, 2) * math.sqrt((2 * 4 / 9 + 2 * 2.5) / 4 / 3)
    found = waiting_time(np.array([1.0, 3.0, 5.0]), 1000)
    assert (found.mean, found.low) == (3, 1)
    assert found.high == pytest.approx(3 * math.exp(reach))


def test_many_runs_leave_the_supposed_ones_behind() -> None:
    runs = np.random.default_rng(0).exponential(500, 3000) + 1
    found = waiting_time(runs, 1e6)
    reach = 1.96 * runs.std() / runs.mean() / math.sqrt(3000)
    assert found.ci95 == pytest.approx((found.mean * math.exp(-reach), found.mean * math.exp(reach)), rel=2e-3)


def test_equal_runs_have_width() -> None:
    found = waiting_time(np.ones(10), 1000)
    assert found.ci95 == pytest.approx((1, 1.62), abs=0.01)
    assert waiting_time(np.full(10, 500.0), 1000).low < 400


def test_a_single_run_says_nothing_of_the_next() -> None:
    assert waiting_time(np.array([7.0]), 200).ci95 == (1, 200)
    assert saved_share(np.array([7.0]), np.array([1.0]), 200).ci95 == (1 - 200, 1 - 1 / 200)


@given(RUNS)
def test_stays_inside_what_is_possible(runs: list[int]) -> None:
    found = waiting_time(np.array(runs, dtype=float), 5000)
    assert 1 <= found.low <= found.mean <= found.high <= 5000


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 5000)), min_size=1, max_size=12))
def test_the_saved_share_stays_inside_what_is_possible(pairs: list[tuple[int, int]]) -> None:
    random, ranked = np.array(pairs, dtype=float).T
    found = saved_share(random, ranked, 5000)
    assert 1 - 5000 <= found.low <= found.mean <= found.high < 1
    assert found.mean == pytest.approx((random.mean() - ranked.mean()) / random.mean())


def test_the_other_way_round_has_the_reciprocal_ratios() -> None:
    dice = np.random.default_rng(1)
    first, second = dice.geometric(0.01, 20).astype(float), dice.geometric(0.3, 20).astype(float)
    there, back = saved_share(first, second, 1e6), saved_share(second, first, 1e6)
    assert 1 - there.low == pytest.approx(1 / (1 - back.high))
    assert 1 - there.high == pytest.approx(1 / (1 - back.low))


def test_pairs_count() -> None:
    runs = np.random.default_rng(2).geometric(0.01, 30).astype(float)
    alike = saved_share(runs, 2 * runs, 1e6)
    mixed = saved_share(runs, np.random.default_rng(3).permutation(2 * runs), 1e6)
    assert alike.high - alike.low < 0.6 * (mixed.high - mixed.low)
