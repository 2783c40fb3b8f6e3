import math

import numpy as np
import pytest

from unnerve.studies.intervals.jackknife import jackknife


def test_of_a_mean_of_values_that_tell_as_much_it_is_students_interval() -> None:
    values = np.array([-1.0, 1.0] * 20)
    found = jackknife(40, lambda rows: float(values[rows].mean()))
    assert found is not None
    # All values tell as much: t of 39 degrees of freedom is 2.0227; the standard error is that of 40 signs.
    reach = 2.0227 * float(values.std(ddof=1)) / math.sqrt(40)
    assert (found.mean, found.low, found.high) == pytest.approx((0.0, -reach, reach), abs=1e-3)


def test_a_few_inputs_that_decide_count_for_few_values() -> None:
    values = np.array([0.0] * 36 + [1.0] * 4)
    found = jackknife(40, lambda rows: float(values[rows].mean()))
    assert found is not None
    # Squares from the mean of 0.1: 36 of 0.01 and 4 of 0.81. Their sum squared over the sum of squares is 4.93, one and
    # a half times that 7.40; t of 6.40 degrees of freedom is 2.4105.
    reach = 2.4105 * float(values.std(ddof=1)) / math.sqrt(40)
    assert found.high - found.mean == pytest.approx(reach, abs=1e-3)


def test_of_two_inputs_it_is_as_wide_as_students() -> None:
    found = jackknife(2, lambda rows: float(rows.mean()))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.5 - 12.706 * 0.5, 0.5 + 12.706 * 0.5), abs=1e-3)


def test_parts_of_many_inputs_are_left_out_together() -> None:
    sizes = []

    def figure(rows: np.ndarray) -> float:
        sizes.append(len(rows))
        return 0.0

    jackknife(100, figure)
    assert (sizes[0], len(sizes)) == (100, 41)
    assert sum(100 - size for size in sizes) == 100, "each is left out once"


def test_close_to_a_bound_it_is_lopsided_and_stays_inside() -> None:
    values = np.array([1.0] * 19 + [0.0])
    found = jackknife(20, lambda rows: float(values[rows].mean()), 0, 1)
    assert found is not None
    assert 0 < found.low < 0.95 < found.high < 1
    assert 0.95 - found.low > 2 * (found.high - 0.95)


def test_inputs_that_do_not_differ_have_an_interval_too() -> None:
    found = jackknife(20, lambda rows: 0.0, -1, 1)
    assert found is not None
    assert -0.15 < found.low < -0.02
    assert 0.02 < found.high < 0.15


@pytest.mark.parametrize(("figure", "low", "high"), [(1.0, 0.8316, 1), (0.0, 0, 0.1684)])
def test_at_a_bound_it_is_that_of_a_share_of_all_or_none(figure: float, low: float, high: float) -> None:
    found = jackknife(20, lambda rows: figure, 0, 1)
    assert found is not None
    # Clopper and Pearson for 20 of 20: 0.025 to the power of 1/20 is 0.8316.
    assert (found.mean, found.low, found.high) == pytest.approx((figure, low, high), abs=1e-4)


def test_a_single_input_says_nothing_and_no_figure_has_none() -> None:
    found = jackknife(1, lambda rows: 0.3, 0, 1)
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.3, 0, 1)
    assert jackknife(5, lambda rows: None) is None


def test_a_figure_that_rests_on_one_part_may_be_anything_that_is_possible() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0])
    found = jackknife(4, lambda rows: None if 0 not in rows else float(values[rows].mean()), 0, 3)
    assert found is not None
    assert (found.mean, found.low, found.high) == (1.5, 0, 3)


def test_without_bounds_parts_without_the_figure_are_passed_over() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0])
    found = jackknife(4, lambda rows: None if 0 not in rows else float(values[rows].mean()))
    assert found is not None
    assert -3 < found.low < 1.5 < found.high < 6
