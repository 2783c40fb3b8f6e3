"""Which metric leads."""

import pytest

from unnerve.reports.map.verdict import best_metric
from unnerve.studies.intervals.interval import Interval


def test_the_mean_over_groups_leads() -> None:
    chance, clear = Interval(0.5, 0.4, 0.6), Interval(0.9, 0.8, 1.0)
    areas = {
        "a": dict.fromkeys(("pcs", "vro", "vr", "predictive_entropy", "mi"), chance) | {"vr": Interval(0.6, 0.4, 0.7)},
        "b": dict.fromkeys(("pcs", "vro", "vr", "predictive_entropy", "mi"), chance) | {"vr": clear},
    }
    best = best_metric(areas)
    assert best is not None
    assert (best.metric, best.worst, best.clear) == ("vr", "a", True)
    assert best.mean == pytest.approx(0.75)
    assert best_metric({}) is None
