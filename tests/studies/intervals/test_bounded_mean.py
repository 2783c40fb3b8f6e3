import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.proportion import proportion


def test_by_hand() -> None:
    values = np.array([0.2, 0.4, 0.6, 0.8])
    # The variance is 1/15 of at most 1/4; five further values are supposed to have all of it.
    relative = (3 * (1 / 15) / (1 / 4) + 5) / 8
    effective = 4 / relative * (1.959964 / stats.t.ppf(0.975, 3)) ** 2
    expected = (
        stats.beta.ppf(0.025, effective / 2, effective / 2 + 1),
        stats.beta.ppf(0.975, effective / 2 + 1, effective / 2),
    )
    found = bounded_mean(values, 0, 1)
    assert found.mean == pytest.approx(0.5)
    assert found.ci95 == pytest.approx(expected)


def test_equal_values_have_the_width_of_equal_answers() -> None:
    found = bounded_mean(np.ones(100), 0, 1)
    assert found.mean == found.high == 1
    assert proportion(100, 100).low - 0.01 < found.low < proportion(100, 100).low


def test_a_single_value_says_nothing_of_the_next() -> None:
    assert bounded_mean(np.array([0.3]), 0, 2).ci95 == (0, 2)


def test_almost_nothing_ends_at_zero_and_not_at_the_least_number() -> None:
    assert bounded_mean(np.array([0.001, 0.002, 0, 0, 0]), 0, 5).low == 0


@given(st.lists(st.floats(-1, 2), min_size=1, max_size=30))
def test_stays_inside_what_is_possible(values: list[float]) -> None:
    found = bounded_mean(np.array(values), -1, 2)
    assert -1 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= 2


@given(st.lists(st.integers(0, 64), min_size=2, max_size=30))
def test_scales_with_the_bounds(parts: list[int]) -> None:
    values = np.array(parts) / 64
    plain, scaled = bounded_mean(values, 0, 1), bounded_mean(3 * values - 1, -1, 2)
    assert scaled.ci95 == pytest.approx((3 * plain.low - 1, 3 * plain.high - 1), abs=1e-6)


def test_many_values_agree_with_the_normal_law() -> None:
    values = np.random.default_rng(0).beta(2, 5, 4000)
    found = bounded_mean(values, 0, 1)
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(4000), rel=0.05)
