import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.studies.harden.settings import HardenSettings
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=25)


def apart(first: list[int], second: list[int], most: tuple[float, float]) -> Interval:
    both = (BoundedCounts(np.array(one, dtype=float), top) for one, top in zip((first, second), most, strict=True))
    return count_difference(*both)


def test_seeds_that_never_differ_have_an_interval_all_the_same() -> None:
    # A bootstrap of equal rows has no width: here up to one seed in six might differ, in either direction.
    none = proportion(0, 20).high
    assert apart([1] * 20, [1] * 20, (1, 1)).ci95 == pytest.approx((-none, none))
    assert apart([0] * 20, [0] * 20, (1, 1)).ci95 == pytest.approx((-none, none))


def test_all_seeds_differ() -> None:
    found = apart([1] * 20, [0] * 20, (1, 1))
    assert (found.mean, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - np.hypot(1 - proportion(20, 20).low, proportion(0, 20).high))
    assert found.low > 0.7


def test_amounts_may_be_as_small_as_they_like() -> None:
    # In other units the interval is the same; of whole numbers none is below one, and the interval would end there.
    first, second = np.array([0.9, 1.3, 0.5, 0.5, 1.6]), np.array([0.5, 0.5, 0.5, 0.6, 0.5])
    found = count_difference(BoundedCounts(first, 5, least=0), BoundedCounts(second, 5, least=0))
    large = count_difference(BoundedCounts(100 * first, 500, least=0), BoundedCounts(100 * second, 500, least=0))
    assert large.ci95 == pytest.approx([100 * end for end in found.ci95])


def test_by_hand() -> None:
    # Two seeds have 3 and 1 more, one has 2 less, one as many.
    found = apart([3, 1, 0, 4], [0, 0, 2, 4], (9, 9))
    up = count_mean(BoundedCounts(np.array([3.0, 1, 0, 0]), 9))
    down = count_mean(BoundedCounts(np.array([0.0, 0, 2, 0]), 9))
    correlation = -1 * 0.5 / (np.std([3, 1, 0, 0]) * np.std([0, 0, 2, 0]))
    below, above = (up.mean - up.low, down.high - down.mean), (up.high - up.mean, down.mean - down.low)
    reach = [np.sqrt(a**2 + b**2 - 2 * correlation * a * b) for a, b in (below, above)]
    assert found.mean == 0.5
    assert found.ci95 == pytest.approx((0.5 - reach[0], 0.5 + reach[1]))


def test_who_found_nothing_might_have_found_as_much_of_the_possible_as_the_other() -> None:
    # 30 picks each of which 3 were errors at most, against 60 picks: at most 6 errors of a seed that was not seen.
    found = apart([3, 2, 3, 1] * 5, [0] * 20, (30, 60))
    surplus = count_mean(BoundedCounts(np.array([3.0, 2, 3, 1] * 5), 30))
    assert found.low == pytest.approx(2.25 - np.hypot(2.25 - surplus.low, 6 * proportion(0, 20).high))


@given(PAIRS)
def test_the_other_way_round_is_the_negative(pairs: list[tuple[int, int]]) -> None:
    first, second = (list(column) for column in zip(*pairs, strict=True))
    there, back = apart(first, second, (5, 9)), apart(second, first, (9, 5))
    assert (there.mean, there.low, there.high) == pytest.approx((-back.mean, -back.high, -back.low))


@given(PAIRS)
def test_stays_inside_what_is_possible(pairs: list[tuple[int, int]]) -> None:
    first, second = (list(column) for column in zip(*pairs, strict=True))
    found = apart(first, second, (5, 9))
    assert -9 <= found.low <= found.mean <= found.high <= 5
    assert found.high - found.low > 0.1


def test_many_seeds_agree_with_the_normal_law() -> None:
    dice = np.random.default_rng(0)
    first, second = dice.poisson(3, 3000), dice.poisson(2, 3000)
    found = apart(first.tolist(), second.tolist(), (50, 50))
    assert found.high - found.low == pytest.approx(2 * 1.96 * (first - second).std() / np.sqrt(3000), rel=0.1)


def test_the_inputs_that_harden_measures_clever_on_show_a_rise() -> None:
    dice, count = np.random.default_rng(0), HardenSettings().clever_inputs
    sure = 0
    for _ in range(100):
        before = dice.gamma(4, 0.22, count)
        after = before + dice.uniform(0.05, 0.4, count)
        sure += count_difference(*(BoundedCounts(one, 5, least=0) for one in (after, before))).low > 0
    assert sure >= 90, "of 20 inputs it would be 5"
