"""Hunts for a pattern: what is stored, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

import unnerve
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt._pattern_hunt import hunters_for
from unnerve.studies.hunt.settings import PatternSettings
from unnerve.testing.scene import small_data, tiny_net

SMALL = "kuk:population=12,iterations=8,mutation=0.1"


def test_findings_have_the_pattern_and_a_seed_is_done_with_its_first(tmp_path: Path) -> None:
    found = unnerve.hunt(
        tiny_net(), small_data(), SMALL, str(tmp_path / "a"), pattern="LL", dropout=0.3, draws=10, region="linf:0.3",
        inputs=6,
    )  # fmt: skip
    rows = found.findings.to_pylist()
    assert rows
    assert len({row["seed_id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["pcs"] < 0.3
        assert row["vro"] < 0.4
        assert 0 < row["vro_error"] < 0.1
        assert row["adversarial"] == float(row["after"] != row["label"])


@pytest.mark.parametrize(
    ("method", "settings", "problem"),
    [
        (SMALL, {"pattern": "XX", "dropout": 0.3}, "pattern must be LL, LH, HL or HH, got 'XX'"),
        (
            SMALL,
            {"pattern": "LL", "thresholds": "0.7,0.3,0.4,0.6", "dropout": 0.3},
            "low <= high <= 1, got 0.7 and 0.3",
        ),
        ("uncommon_ascent", {"thresholds": "0.2,0.8,0.1,0.9", "dropout": 0.3}, "`thresholds` needs `pattern`"),
        ("kuk:pattern=HH", {"pattern": "LL", "dropout": 0.3}, "same pattern, got HH and LL"),
        (
            "kuk:confidence=0.9",
            {"pattern": "HH", "thresholds": "0.3,0.5,0.4,0.6", "dropout": 0.3},
            "same pattern, within the same limits, got HH (PCS > 0.9, VRO > 0.6) and HH (PCS > 0.5, VRO > 0.6)",
        ),
        (SMALL, {"pattern": "LL", "dropout": 0.3, "oracle": "changed"}, "leave oracle and target away"),
        ("pgd", {"dropout": 0.3}, "is for methods that draw"),
        (SMALL, {"pattern": "HH", "dropout": 1e-6}, "needs VRO > 0.6, but dropout changed none of"),
    ],
)
def test_refuses(tmp_path: Path, method: str, settings: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidSetting) as raised:
        unnerve.hunt(tiny_net(), small_data(), method, str(tmp_path / "a"), inputs=4, **settings)
    assert problem in str(raised.value)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("method", "settings", "region"),
    [
        (SMALL, {"pattern": "HL"}, "linf:0.3"),
        ("uncommon_ascent:pattern=HL,steps=2", {}, "linf:0.3"),
        (SMALL, {"pattern": "HL", "region": "linf:0.05"}, "linf:0.05"),
    ],
)
def test_without_a_region_it_is_the_paper_s(tmp_path: Path, method: str, settings: dict[str, Any], region: str) -> None:
    found = unnerve.hunt(
        tiny_net(), small_data(), method, str(tmp_path / "a"), inputs=2, queries=40, dropout=0.3, **settings
    )
    assert found.plan.region.text == region


def test_a_model_without_dropout_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"kuk needs dropout"):
        unnerve.hunt(tiny_net(), small_data(), SMALL, str(tmp_path / "a"), inputs=4)


def test_gradients_go_through_as_many_draws_as_a_candidate_has() -> None:
    for dropout, masks in ((DropoutSettings(dropout=0.3), 50), (DropoutSettings(dropout=0.3, draws=7), 7)):
        (hunter,) = hunters_for(["uncommon_ascent"], PatternSettings("HL"), dropout)
        assert (hunter.pattern, hunter.masks) == ("HL", masks)
