import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, roc_auc_score

from unnerve.measure.curves.apfd import apfd

orders = st.lists(st.booleans(), min_size=1, max_size=40)


def test_by_hand() -> None:
    # Faults at places 1 and 4 of 5: 1 - (1 + 4) / (5 * 2) + 1 / 10.
    assert apfd(torch.tensor([True, False, False, True, False])) == pytest.approx(0.6)


def test_rothermels_definition_through_faults_detected() -> None:
    faults = torch.tensor([False, True, True, False])
    assert apfd(faults) == pytest.approx(1 - (2 + 3) / (4 * 2) + 1 / 8)


@given(orders.filter(any))
def test_is_the_area_under_the_curve_of_faults_found(found: list[bool]) -> None:
    tried = np.linspace(0, 1, len(found) + 1)
    share = np.concatenate([[0], np.cumsum(found) / sum(found)])
    assert apfd(torch.tensor(found)) == pytest.approx(auc(tried, share), abs=1e-12)


@given(orders.filter(lambda found: any(found) and not all(found)))
def test_agrees_with_the_area_under_the_roc_curve(found: list[bool]) -> None:
    count, faults = len(found), sum(found)
    roc = roc_auc_score(found, -np.arange(count))
    mean_place = (1 - roc) * (count - faults) + (faults + 1) / 2
    assert apfd(torch.tensor(found)) == pytest.approx(1 - mean_place / count + 1 / (2 * count), abs=1e-12)


def test_best_and_worst_order() -> None:
    best = torch.tensor([True] * 3 + [False] * 7)
    assert apfd(best) == pytest.approx(1 - 3 / 20)
    assert apfd(best.flip(0)) == pytest.approx(3 / 20)


def test_all_faults_leave_nothing_to_gain() -> None:
    assert apfd(torch.ones(6, dtype=torch.bool)) == pytest.approx(0.5)


def test_without_faults_there_is_no_answer() -> None:
    assert math.isnan(apfd(torch.zeros(6, dtype=torch.bool)))
