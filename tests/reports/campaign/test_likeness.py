"""Campaigns that are unlike stand side by side: nothing is claimed of their difference."""

from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.cards import campaign_cards
from unnerve.reports.campaign.compared_methods import unlike
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.first.winner import winner
from unnerve.reports.campaign.tables import class_table, difference_table
from unnerve.reports.campaign.verdict import caveats, method_words

MADE = Hunted(seeds=60, methods=("pgd",), spared=5)
"""48 of 60 seeds broken: clearly more than by a method that spares all."""


def two(folder: Path, **changes: Any) -> Evidence:
    other = MADE.but(methods=("random",), each=0, **changes)
    return evidence([MADE.campaign(folder / "a"), other.campaign(folder / "b")])


def test_like_campaigns_are_compared(tmp_path: Path) -> None:
    found = two(tmp_path)
    assert unlike(found.campaigns) == ()
    assert [one.seeds_broken.low > 0 for one in found.differences] == [True]
    assert "significantly more than random" in method_words(found)[0]
    assert winner(found) is not None


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"region": "linf:0.3"}, "region"),
        ({"data": "other"}, "seeds"),
        ({"model": "zoo:other"}, "model"),
        ({"oracle": "becomes:target=1"}, "kind of error"),
        ({"queries": 2000}, "budget"),
        ({"quantised": True}, "rounding"),
    ],
)
def test_unlike_campaigns_are_not(tmp_path: Path, changes: dict[str, Any], name: str) -> None:
    found = two(tmp_path, **changes)
    assert found.differences == ()
    assert difference_table(found) is None
    assert winner(found) is None
    said = " ".join(caveats(found))
    assert "significantly" not in said
    assert f"The campaigns differ in {name}: they stand side by side" in said


def test_the_same_inputs_in_two_regions_are_not_pooled(tmp_path: Path) -> None:
    # 48 of 60 in both regions: 96 of 120 would have an interval that is too narrow by a factor of 1.4.
    found = evidence([MADE.campaign(tmp_path / "a"), MADE.but(region="linf:0.3").campaign(tmp_path / "b")])
    card = next(card for card in campaign_cards(found) if card.term == "broken")
    assert (card.figure, card.note) == ("80 %", "a: 48 of 60; b: 48 of 60; 0 is best for the model")
    table = class_table(found)
    assert table is not None
    assert {row[2].more for row in table.rows} == {""}
    assert "120" not in " ".join(caveats(found))


def test_methods_that_are_alike_stay_together(tmp_path: Path) -> None:
    wide = MADE.but(region="linf:0.3", methods=("pgd", "random"), seeds=12)
    found = evidence([MADE.but(methods=("bim", "random")).campaign(tmp_path / "a"), wide.campaign(tmp_path / "b")])
    assert [method.campaign for method in found.methods] == [0, 0, 1, 1]
    assert len(found.differences) == 2
    first, second, third = method_words(found)
    assert first.startswith("random (a) broke the most seeds")
    assert second.startswith("random (b) broke the most seeds")
    assert third.startswith("The campaigns differ in region: ")
