import numpy as np
from dnn_tip.prioritizers import ctm

from unnerve.measure.orders.coverage_total import CoverageTotal


def test_what_covers_most_comes_first() -> None:
    met = [np.array([1]), np.array([0, 2, 3]), np.array([], int), np.array([1, 4])]
    values = CoverageTotal().values(met)
    assert values.tolist() == [1, 3, 0, 2]
    assert np.argsort(-values, kind="stable").tolist() == list(ctm(np.array([1, 3, 0, 2])))
