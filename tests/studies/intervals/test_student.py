import math

import pytest
from scipy import stats

from unnerve.studies.intervals.student import mean_ci95, scatter, student


def test_agrees_with_scipy() -> None:
    values = [0.3, 0.5, 0.55, 0.7]
    theirs = stats.ttest_1samp(values, 0).confidence_interval()
    ours = student(values)
    assert ours.mean == pytest.approx(0.5125)
    assert ours.ci95 == pytest.approx((theirs.low, theirs.high))


def test_stays_inside_what_is_possible() -> None:
    found = student([0.9, 1.0, 0.8], 0, 1)
    assert found.high == 1
    assert found.low == pytest.approx(0.9 - stats.t.ppf(0.975, 2) * 0.1 / math.sqrt(3))


def test_a_single_value_has_no_interval() -> None:
    assert student([0.5], 0, 1).ci95 == (0, 1)
    assert mean_ci95([0.5], 0, 1) is None
    assert mean_ci95([0.5, 0.6]) == student([0.5, 0.6]).ci95


def test_what_does_not_scatter_has_no_interval() -> None:
    assert scatter([0.0, 0.0, 0.0]) is None
    assert scatter([0.1 + 0.2, 0.3]) is None, "the last digit of a sum is no scatter"
    assert scatter([0.5]) is None
    assert scatter([0.9, 1.0, 0.8], 0, 1) == student([0.9, 1.0, 0.8], 0, 1)
