import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unnerve.measure.curves.apfd import apfd as point_estimate
from unnerve.studies.intervals.apfd import apfd
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.proportion import proportion


@given(st.lists(st.booleans(), min_size=1, max_size=60).filter(any))
def test_stays_inside_what_is_possible(faults: list[bool]) -> None:
    found = apfd(np.array(faults))
    assert found is not None
    assert found.mean == pytest.approx(point_estimate(torch.tensor(faults)))
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_without_faults_there_is_none() -> None:
    assert apfd(np.zeros(9, dtype=bool)) is None


def test_faults_alone_say_nothing() -> None:
    found = apfd(np.ones(4, dtype=bool))
    assert found is not None
    assert (found.mean, *found.ci95) == (0.5, 0, 1)


def test_by_hand() -> None:
    # Of eight inputs two are faults, at places 1 and 4; A = 10/12, since two others come before the second.
    faults = np.array([True, False, False, True, False, False, False, False])
    found = apfd(faults)
    area = auc(np.array([8.0, 5.0]), np.array([7.0, 6, 4, 3, 2, 1]))
    often = proportion(2, 8)
    assert found is not None
    assert area.mean == pytest.approx(10 / 12)
    assert found.mean == pytest.approx(1 - 2 / 16 - 6 / 8 * (1 - 10 / 12))
    # More faults make it lower, for there are fewer others to come after them.
    below = np.hypot(6 / 8 * (area.mean - area.low), (10 / 12 - 1 / 2) * (often.high - often.mean))
    above = np.hypot(6 / 8 * (area.high - area.mean), (10 / 12 - 1 / 2) * (often.mean - often.low))
    assert found.ci95 == pytest.approx((max(0, found.mean - below), min(1, found.mean + above)))
