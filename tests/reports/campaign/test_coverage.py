"""The section on coverage: in the page and in the text."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted, measured
from tests.reports.markup import parsed, payload
from unnerve.core.errors import InvalidData
from unnerve.reports.campaign.coverage import coverage_parts
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.html import campaign_html
from unnerve.reports.campaign.text import campaign_text
from unnerve.studies.campaign.coverage_gains import CoverageGains, Gain

COMMAND = "--coverage all --profile made-up --resume"


def test_the_table_has_a_column_for_each_method(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    (part,) = coverage_parts(evidence([measured(campaign)]))
    assert [heading for heading, _ in part.table.columns] == ["criterion", "seeds alone", "+ random", "+ pgd"]
    rows = [[cell.text for cell in row] for row in part.table.rows]
    assert rows == [["nc", "50 %", "+5", "+30"], ["nbc", "10 %", "+0", "+0"], ["tknp", "1,200", "-", "+100"]]
    assert [cell.marked for cell in part.table.rows[0]] == [False, False, False, True]
    assert not any(cell.marked for cell in part.table.rows[1]), "nobody gained anything"
    assert part.table.rows[0][3].more == "80 % in all"
    assert part.bars is not None
    assert part.bars.criteria == ("nc", "nbc"), "a number of patterns is no share"
    assert part.bars.shares[0] == ("seeds alone", (0.5, 0.1))
    assert part.bars.shares[2] == ("with pgd", (0.8, 0.1))


def test_the_page_shows_it(tmp_path: Path) -> None:
    html = campaign_html(measured(Hunted().campaign(tmp_path / "a")))
    chart = payload(html)["coverage"]["coverage-1"]
    assert [trace["name"] for trace in chart["data"]] == ["seeds alone", "with random", "with pgd"]
    assert chart["data"][2]["y"] == [0.8, 0.1]
    assert any("20 neurons (conv*), 12 seeds; ranges of the neurons from 1,000" in text for text in parsed(html).text)


def test_without_it_the_command_is_named(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    html = campaign_html(campaign)
    assert payload(html)["coverage"] == {}
    assert COMMAND in "".join(parsed(html).text)
    assert "coverage" not in campaign_text(campaign)


def test_a_campaign_that_went_on_says_so(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    said = "gone on since coverage was measured"
    assert said in campaign_html(measured(campaign, since=1))
    assert said not in campaign_html(measured(campaign))


def test_several_campaigns_have_a_table_each(tmp_path: Path) -> None:
    some = [measured(Hunted().campaign(tmp_path / name)) for name in "ab"]
    bare = Hunted().campaign(tmp_path / "c")
    parts = coverage_parts(evidence([*some, bare]))
    assert [part.table.caption[-2:] for part in parts] == ["/a", "/b"]
    assert parts[1].table.columns[2][0].endswith("(b)")
    assert set(payload(campaign_html([*some, bare]))["coverage"]) == {"coverage-1", "coverage-2"}


def test_the_text_has_a_row_for_each_method(tmp_path: Path) -> None:
    lines = campaign_text(measured(Hunted().campaign(tmp_path / "a"))).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("  coverage"))
    assert [line.split() for line in lines[start : start + 4]] == [
        ["coverage", "nc", "nbc", "tknp"],
        ["seeds", "alone", "50", "%", "10", "%", "1,200"],
        ["+", "random", "+5", "+0", "-"],
        ["+", "pgd", "+30", "+0", "+100"],
    ]


def test_hostile_names_are_text(tmp_path: Path, hostile: tuple[str, ...]) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    name = hostile[2]
    gains = CoverageGains(3, name, None, 1, {}, {name: Gain({"name": name}, 3, 1, {"pgd": 2})})
    campaign.store.note("coverage", gains.to_json())
    text = campaign_text(campaign)
    assert all(character == "\n" or character.isprintable() for character in text)
    assert "\x1b" not in campaign_html(campaign).split("</style>")[1].split("<script")[0]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    campaign.store.note("coverage", {"neurons": "many"})
    with pytest.raises(InvalidData, match=r"coverage\.json is damaged"):
        campaign_html(campaign)
