"""The plane of a map."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reports.maps import Mapped
from unnerve.core.patterns import Thresholds
from unnerve.reports.map.charts import auc_chart, stability_chart
from unnerve.reports.map.inputs import shown
from unnerve.reports.map.plane_chart import plane_chart
from unnerve.reports.map.sample import sample
from unnerve.studies.map.result import UncertaintyMap


@pytest.fixture
def found(tmp_path: Path) -> UncertaintyMap:
    return Mapped().found(tmp_path / "a")


def plane(found: UncertaintyMap, limit: int = 2000) -> dict[str, Any]:
    return plane_chart(found, shown(found, sample(found, limit), (1, 8, 8)).inputs)


def traces(chart: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [trace for trace in chart["data"] if trace["meta"]["kind"] == kind]


def numbers(values: Any) -> np.ndarray:
    """Return an axis of a trace: plotly writes arrays of numpy as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.array(values)


def test_a_dot_for_every_input_in_the_marker_of_its_group(found: UncertaintyMap) -> None:
    dots = traces(plane(found), "dots")
    assert [len(trace["customdata"]) for trace in dots] == [12, 9, 9, 10, 10]
    assert sorted(row for trace in dots for row in trace["customdata"]) == list(range(50))
    assert [trace["marker"]["symbol"] for trace in dots] == [
        "circle",
        "square-open",
        "square",
        "diamond-open",
        "diamond",
    ]
    assert len({trace["marker"]["color"] for trace in dots}) == 3
    assert all(trace["hoverinfo"] == "none" for trace in dots)


def test_the_bars_count_every_input(found: UncertaintyMap) -> None:
    for chart in (plane(found), plane(found, 20)):
        bars = traces(chart, "bars")
        along = [numbers(bar["y"]) for bar in bars if bar.get("yaxis") == "y2"]
        across = [numbers(bar["x"]) for bar in bars if bar.get("xaxis") == "x2"]
        assert [counts.sum() for counts in along] == [counts.sum() for counts in across] == [12, 9, 9, 10, 10]
        # Benign PCS: 1, 0.99, ... 0.89; the bars reach over 0.85 to 0.9, 0.9 to 0.95, 0.95 to 1.
        assert along[0][-3:].tolist() == [1, 5, 6]
        # VRO 0, 1/50, 2/50: all in the first of 17 bars, which holds three values.
        assert len(across[0]) == 17
        assert across[0][0] == 12


@pytest.mark.parametrize("draws", [1, 7, 20, 50, 1000])
def test_every_value_of_vro_has_one_bar(tmp_path: Path, draws: int) -> None:
    found = Mapped(draws=draws, early=()).found(tmp_path / "a")
    values = np.arange(draws + 1) / draws
    found.groups["benign"].figures.update(vro=values, pcs=values)
    bars = [bar for bar in traces(plane_chart(found, ()), "bars") if bar.get("xaxis") == "x2"]
    counts = numbers(bars[0]["x"])
    assert counts.sum() == draws + 1
    assert len(set(counts[:-1].tolist())) <= 1
    assert len(counts) <= 20


def test_borders_and_names_lie_at_the_thresholds(tmp_path: Path) -> None:
    found = Mapped(thresholds=Thresholds(0.2, 0.8, 0.35, 0.65)).found(tmp_path / "a")
    layout = plane(found)["layout"]
    names = {one["name"]: (one["x"], one["y"]) for one in layout["annotations"]}
    assert names == {"LL": (-0.045, -0.12), "LH": (-0.045, 1.12), "HL": (0.8, -0.12), "HH": (0.8, 1.12)}
    assert all(one["captureevents"] for one in layout["annotations"])
    lines = [(one["x0"], one["y0"]) for one in layout["shapes"] if one["type"] == "line"]
    assert lines == [(0.2, -0.12), (0.8, -0.12), (-0.045, 0.35), (-0.045, 0.65)]


def test_markup_in_names_is_text_to_plotly(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    hostile = {f"<b>{name}": group for name, group in found.groups.items() if name != "benign"}
    groups = {"benign": found.groups["benign"], **hostile}
    changed = UncertaintyMap(found.campaign, groups, found.thresholds, found.draws, "")
    for chart in (plane(changed), auc_chart(changed, changed.auc()), stability_chart(changed)):
        assert chart is not None
        texts = [json.dumps([trace.get(key) for key in ("name", "text", "hovertext")]) for trace in chart["data"]]
        assert any("&lt;b>" in text or "&lt;b&gt;" in text for text in texts)
        assert not any("<b>" in text for text in texts)
