import numpy as np
import pytest
from scipy import stats

from unnerve.studies.intervals import Interval, bootstrap, student, wilson


def mean(rows: np.ndarray) -> np.ndarray:
    averages: np.ndarray = rows.mean(axis=1)
    return averages


@pytest.mark.parametrize(("successes", "count"), [(0, 10), (10, 10), (1, 3), (57, 100), (999, 1000), (0, 1), (1, 1)])
def test_wilson_agrees_with_scipy(successes: int, count: int) -> None:
    expected = stats.binomtest(successes, count).proportion_ci(method="wilson")
    ours = wilson(successes, count)
    assert ours.mean == successes / count
    assert ours.ci95 == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_bootstrap_is_the_same_for_the_same_seed() -> None:
    samples = np.random.default_rng(0).random(12)
    assert bootstrap(mean, samples, 3) == bootstrap(mean, samples, 3)
    assert bootstrap(mean, samples, 3) != bootstrap(mean, samples, 4)
    assert bootstrap(mean, samples, 3).mean == bootstrap(mean, samples, 4).mean == pytest.approx(samples.mean())


def test_bootstrap_agrees_with_scipy() -> None:
    samples = np.random.default_rng(0).standard_normal(40)
    theirs = stats.bootstrap((samples,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(1))
    ours = bootstrap(mean, samples, 0)
    assert ours.ci95 == pytest.approx(tuple(theirs.confidence_interval), abs=0.03)


def test_bootstrap_of_one_row_or_equal_rows_has_no_width() -> None:
    assert bootstrap(mean, np.array([4.0]), 0) == Interval(4.0, 4.0, 4.0)
    assert bootstrap(mean, np.full(9, 2.5), 0) == Interval(2.5, 2.5, 2.5)


def test_bootstrap_keeps_rows_together() -> None:
    pairs = np.array([[10.0, 5.0], [20.0, 10.0], [2.0, 1.0]])
    ratio = bootstrap(lambda rows: rows[..., 1].mean(axis=1) / rows[..., 0].mean(axis=1), pairs, 0)
    assert ratio == Interval(0.5, 0.5, 0.5)


def test_student_agrees_with_scipy() -> None:
    values = [0.91, 0.94, 0.93, 0.97, 0.90]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    ours = student(values)
    assert ours.mean == pytest.approx(np.mean(values))
    assert ours.ci95 == pytest.approx((expected.low, expected.high))
    assert student([0.5]) == Interval(0.5, 0.5, 0.5)


def test_bootstrap_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = np.random.default_rng(0).random(31)
    whole = bootstrap(mean, samples, 3)
    monkeypatch.setattr("unnerve.studies.intervals._AT_ONCE", 31 * 7 + 3)
    assert bootstrap(mean, samples, 3) == whole
    monkeypatch.setattr("unnerve.studies.intervals._AT_ONCE", 1)
    assert bootstrap(mean, samples, 3) == whole
