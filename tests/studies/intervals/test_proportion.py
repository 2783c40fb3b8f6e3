import pytest
from scipy import stats

from unnerve.studies.intervals.proportion import proportion


@pytest.mark.parametrize(("successes", "count"), [(0, 1), (1, 1), (0, 20), (20, 20), (3, 10), (98, 100), (1, 3000)])
def test_agrees_with_scipy(successes: int, count: int) -> None:
    theirs = stats.binomtest(successes, count).proportion_ci(method="exact")
    ours = proportion(successes, count)
    assert ours.mean == successes / count
    assert ours.ci95 == pytest.approx(tuple(theirs), abs=1e-12)


def test_holds_rare_shares_that_a_normal_law_leaves_out() -> None:
    # One of ten failed: so it does in one of six samples if the share is 1.7 %, which Wilson's interval leaves out.
    assert proportion(1, 10).low < 0.0176 < stats.binomtest(1, 10).proportion_ci(method="wilson").low


def test_nothing_found_is_not_nothing_possible() -> None:
    assert proportion(0, 10).high == pytest.approx(1 - 0.025 ** (1 / 10))
