"""The charts of a map beside its plane."""

from pathlib import Path

import pytest

from tests.reports.maps import Mapped
from unnerve.reports.map.charts import auc_chart, stability_chart
from unnerve.studies.map.result import METRICS, UncertaintyMap


@pytest.fixture
def found(tmp_path: Path) -> UncertaintyMap:
    return Mapped().found(tmp_path / "a")


def test_auc_has_an_interval_for_every_metric_and_attack(found: UncertaintyMap) -> None:
    areas = found.auc()
    chart = auc_chart(found, areas)
    assert [trace["name"] for trace in chart["data"]] == list(areas)
    for trace, by in zip(chart["data"], areas.values(), strict=True):
        assert trace["x"] == [by[metric].mean for metric in METRICS]
        high = [mean + above for mean, above in zip(trace["x"], trace["error_x"]["array"], strict=True)]
        assert high == pytest.approx([by[metric].high for metric in METRICS])
    places = [place for trace in chart["data"] for place in trace["y"]]
    assert len(set(places)) == len(places)


def test_stability_has_a_line_for_every_group(found: UncertaintyMap, tmp_path: Path) -> None:
    chart = stability_chart(found)
    assert chart is not None
    assert len(chart["data"]) == 5
    assert chart["data"][0]["x"] == [5, 10]
    assert chart["data"][0]["y"] == pytest.approx([0.02, 0.01])
    assert stability_chart(Mapped(early=()).found(tmp_path / "b")) is None
