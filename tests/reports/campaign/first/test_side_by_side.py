"""Campaigns that are unlike, a row each."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.side_by_side import side_by_side


def test_each_campaign_has_a_row_of_its_own(tmp_path: Path) -> None:
    wide = Hunted(methods=("pgd:steps=5",)).campaign(tmp_path / "wide")
    narrow = Hunted(methods=("random",), region="linf:0.02", each=0).campaign(tmp_path / "narrow")
    first, second = side_by_side(evidence([wide, narrow]))
    assert (first.name, first.model, first.where, first.methods) == (
        "wide",
        "zoo:tiny",
        "within ±0.1 per pixel",
        "pgd:steps=5",
    )
    # Of 12 seeds pgd spares 0, 5 and 10.
    assert first.broken.figure == "9 of 12"
    assert first.broken.share == pytest.approx(75)
    assert first.broken.low < 75 < first.broken.high
    # 12 of 15 inputs that were looked at are right.
    assert (first.accuracy, first.queries, first.each) == ("80 %", "240", "20 each")
    assert (second.name, second.broken.figure, second.where) == ("narrow", "0 of 12", "within ±0.02 per pixel")


def test_campaigns_that_share_an_answer_have_no_rows(tmp_path: Path) -> None:
    first = Hunted(methods=("pgd",)).campaign(tmp_path / "a")
    second = Hunted(methods=("random",)).campaign(tmp_path / "b")
    assert side_by_side(evidence([first])) == ()
    assert side_by_side(evidence([first, second])) == ()
