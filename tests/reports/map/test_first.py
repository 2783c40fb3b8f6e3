"""The first screen of a map's report."""

from pathlib import Path

import pytest

from tests.reports.maps import Mapped
from unnerve.core.patterns import Thresholds
from unnerve.reports.map.first import MapFirst, map_first


def first(folder: Path, **changes: object) -> MapFirst | None:
    return map_first(Mapped().but(**changes).found(folder), "images")


def test_the_attack_that_hides_best_leads(tmp_path: Path) -> None:
    shown = first(tmp_path / "a")
    assert shown is not None
    # All benign and strongest findings are HL by construction, the smallest are LH.
    assert "".join(one.text for one in shown.headline) == "The strongest random is invisible: 10 of 10 look benign"
    assert (shown.bad, shown.interval) == (True, "95 %: 69.2 to 100 %")
    assert [(row.part, row.total, row.tone) for row in shown.rows] == [
        (12, 12, "benign"),
        (0, 9, "seen"),
        (9, 9, "hidden"),
        (0, 10, "seen"),
        (10, 10, "hidden"),
    ]
    assert shown.rows[2].low < shown.rows[2].share == pytest.approx(100)


def test_where_no_attack_looks_benign_that_is_said(tmp_path: Path) -> None:
    # PCS of the strongest is 0.905, of benign inputs 0.89 and more: above 0.95 lie five of them and no attack.
    shown = first(tmp_path / "a", thresholds=Thresholds(high_confidence=0.95))
    assert shown is not None
    assert "".join(one.text for one in shown.headline) == "No attacked images look benign"
    assert not shown.bad


def test_without_findings_there_is_nothing_to_compare(tmp_path: Path) -> None:
    assert first(tmp_path / "a", each=0) is None
