import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.core.errors import InvalidData
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.proportion import proportion

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=20).map(lambda some: np.array(some, dtype=float))
DICE = np.random.default_rng(0)


def test_many_scores_agree_with_delong() -> None:
    # With M and N scores the variance is that of their placements among the others, each divided by its number.
    suspect, ordinary = DICE.normal(1, 2, 800), DICE.normal(0, 1, 1200)
    wins = (suspect[:, None] > ordinary[None]).astype(float)
    deviation = math.sqrt(wins.mean(axis=1).var(ddof=1) / 800 + wins.mean(axis=0).var(ddof=1) / 1200)
    found = auc(suspect, ordinary)
    assert found.mean == pytest.approx(wins.mean())
    assert found.high - found.low == pytest.approx(2 * 1.96 * deviation, rel=0.04)


def test_groups_that_do_not_overlap_leave_room_for_what_was_not_seen() -> None:
    found = auc(np.arange(30.0) + 100, np.arange(50.0))
    assert found.mean == found.high == 1
    assert 0.8 < found.low < proportion(30, 30).low


def test_a_single_input_says_nothing_of_others() -> None:
    assert auc(np.array([3.0]), np.arange(9.0)).ci95 == (0, 1)
    assert auc(np.arange(5.0), np.arange(9.0), (["a"] * 5, list("bcdefghij"))).ci95 == (0, 1)


@given(SCORES, SCORES)
def test_stays_inside_what_is_possible(suspect: np.ndarray, ordinary: np.ndarray) -> None:
    found = auc(suspect, ordinary)
    assert 0 <= found.low <= found.mean <= found.high <= 1


@given(SCORES, SCORES)
def test_the_other_way_round_is_the_complement(suspect: np.ndarray, ordinary: np.ndarray) -> None:
    there, back = auc(suspect, ordinary), auc(ordinary, suspect)
    assert there.ci95 == pytest.approx((1 - back.high, 1 - back.low), abs=1e-9)


def test_inputs_of_the_same_seeds_are_not_independent() -> None:
    base = DICE.normal(0, 3, 300)
    ordinary, suspect = base + DICE.normal(0, 0.5, 300), base + 1 + DICE.normal(0, 0.5, 300)
    names = [str(number) for number in range(300)]
    apart, together = auc(suspect, ordinary), auc(suspect, ordinary, (names, names))
    different = auc(suspect, ordinary, (names, [f"{name}'" for name in names]))
    # What moves a seed up moves its finding up too; that of Hanley and McNeil is the least that is believed.
    assert together.high - together.low < apart.high - apart.low
    assert different.ci95 == pytest.approx(apart.ci95, abs=1e-3)


def test_copies_add_nothing() -> None:
    suspect, ordinary = DICE.normal(1, 3, 40), DICE.normal(0, 1, 60)
    names = ([f"s{number}" for number in range(40)], [f"o{number}" for number in range(60)])
    once = auc(suspect, ordinary, names)
    often = auc(np.tile(suspect, 10), np.tile(ordinary, 10), (names[0] * 10, names[1] * 10))
    assert often.ci95 == pytest.approx(once.ci95, abs=0.01)


def test_nan_is_refused() -> None:
    with pytest.raises(InvalidData, match="suspect scores must be numbers, got NaN in 1 of 2"):
        auc(np.array([1.0, np.nan]), np.ones(3))
