"""The report of campaigns as an HTML file."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from tests.reports.markup import parsed, payload
from unnerve.campaign.store import Store
from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.reports.campaign.html import campaign_html, write_campaign_report
from unnerve.reports.parts.plotly import library
from unnerve.studies.campaign.campaign import Campaign

DATE = datetime(2025, 11, 15, 12, 30)


def test_the_page_is_complete_and_stands_alone(tmp_path: Path) -> None:
    html = campaign_html(Hunted().campaign(tmp_path / "a"), "unnerve hunt it", date=DATE)
    tags = parsed(html)
    assert html.count(library()) == 1
    assert len(html.encode()) < 6_000_000
    sources = [attrs.get("src") or "data:" for tag, attrs in tags.tags]
    assert all(source.startswith("data:") for source in sources)
    assert not {"iframe", "object"} & {tag for tag, _ in tags.tags}
    assert all((attrs.get("href") or "#")[0] == "#" or tag == "link" for tag, attrs in tags.tags)
    assert "unnerve hunt it" in tags.text
    assert any("2025-11-15 12:30" in text for text in tags.text)
    assert html.count("'sha256-") == 5
    data = payload(html)
    assert len(data["findings"]) == 76
    assert set(data["charts"]) == {"seeds_broken", "error_categories", "errors"}
    # Every card and every term that it leads to.
    anchors = {attrs["id"] for _, attrs in tags.tags if attrs.get("id")}
    links = {(attrs["href"] or "")[1:] for tag, attrs in tags.tags if tag == "a" and attrs.get("class") == "card"}
    assert len(links) == 6
    assert links <= anchors


def test_no_two_buttons_copy_the_same_command(tmp_path: Path) -> None:
    exported = campaign_html(Hunted(methods=("pgd",)).campaign(tmp_path / "a"))
    assert ("Copy export command" in exported, "Copy next command" in exported) == (True, False)
    narrower = campaign_html(Hunted(methods=("pgd",), seeds=10, spared=10).campaign(tmp_path / "b"))
    assert "Copy next command" in narrower


def test_one_badge_is_enough_where_nothing_was_found(tmp_path: Path) -> None:
    campaign = Hunted(methods=("pgd",), each=0).campaign(tmp_path / "a")
    nothing = "Nothing found: this is not a pass"
    assert nothing in campaign_html(campaign)
    campaign.judge(["broken > 1%"])
    assert nothing not in campaign_html(campaign)
    assert "Undecided: perhaps more than 1 % break" in campaign_html(campaign)


def test_a_page_of_unlike_campaigns_begins_with_the_first_that_found_something(tmp_path: Path) -> None:
    plain = Hunted(methods=("pgd",))
    wide, narrow = plain.campaign(tmp_path / "a"), plain.but(region="linf:0.02").campaign(tmp_path / "b")
    assert payload(campaign_html([wide, narrow]))["method"] == "0"
    assert payload(campaign_html([plain.but(each=0, data="none").campaign(tmp_path / "c"), wide]))["method"] == "1"
    assert payload(campaign_html(wide))["method"] == ""


def test_hostile_names_are_text(tmp_path: Path, hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[number % 3]}{number}" for number in range(12))
    made = Hunted(
        classes=(*hostile, "x" * 500), names=names, model=hostile[0], data=hostile[1], failed=(3,), reason=hostile[1]
    )
    html = campaign_html(made.campaign(tmp_path / "</script><b>x\x1b"))
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    outside_library = html.replace(library(), "")
    assert "\x00" not in outside_library
    assert "\x1b" not in outside_library
    assert outside_library.lower().count("<script") == outside_library.lower().count("</script>") == 6
    assert payload(html)["classes"][0] == hostile[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"each": 0},
        {"labels": False, "oracle": "changed", "classes": ()},
        {"shape": (40,), "region": "l2:0.9"},
        {"shape": (2, 5, 5), "region": "l0:0.5"},
        {"shape": (3, 100, 80), "seeds": 4},
        {"seeds": 1, "methods": ("pgd",), "queries": None, "spared": 9},
        {"missing": 3},
        {"missing": 6},
        {"failed": tuple(range(12))},
        {"failed": (2, 3), "quantised": True},
        {"oracle": "becomes:2"},
        {"classes": tuple(f"class number {number}" for number in range(100)), "seeds": 120, "shard": 60},
        {"methods": tuple(f"pgd:steps={number}" for number in range(1, 15)), "seeds": 5},
    ],
)
def test_every_kind_of_campaign_has_a_page(tmp_path: Path, changes: dict[str, Any]) -> None:
    made = Hunted().but(**changes)
    html = campaign_html(made.campaign(tmp_path / "a"))
    data = payload(html)
    assert not any(f"{before} NaN" in json.dumps(data) for before in ",:[")
    # Where anything was found, coverage was never measured and no features were stored.
    assert html.count("This would fill it") == (2 if data["findings"] else 0)
    assert "None" not in " ".join(parsed(html.replace(library(), "")).text)


def test_a_page_without_charts_has_no_charting_code(tmp_path: Path) -> None:
    html = campaign_html(Hunted(each=0).campaign(tmp_path / "a"))
    assert library() not in html
    assert len(html.encode()) < 200_000
    assert "Nothing found: this is not a pass" in html


def test_a_hunt_that_has_not_begun_to_end_has_a_page(tmp_path: Path) -> None:
    html = campaign_html(Hunted(missing=6).campaign(tmp_path / "a"))
    assert "nothing has been hunted yet" in html
    assert "0 of 6 shards finished; --resume goes on." in html


def test_the_same_campaign_gives_the_same_page(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    assert campaign_html(campaign, date=DATE) == campaign_html(Campaign.at(tmp_path / "a"), date=DATE)


def test_it_lies_in_the_folder_and_links_to_the_files(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a: #1")
    place = campaign.report()
    assert place == tmp_path / "a: #1" / "report.html"
    links = [attrs["href"] or "" for tag, attrs in parsed(place.read_text()).tags if tag == "a" and "href" in attrs]
    files = [link for link in links if link.endswith(".parquet")]
    assert len(files) == 6
    assert (place.parent / files[0]).is_file()
    elsewhere = write_campaign_report(campaign, tmp_path / "other.html").read_text()
    assert "a%3A%20%231/shards/method00" in elsewhere
    # The report in the folder is no part of the campaign.
    assert Campaign.at(campaign.store.path).findings.num_rows == 76


def test_one_that_is_named_twice_is_there_once(tmp_path: Path) -> None:
    one = Hunted().campaign(tmp_path / "a")
    assert len(payload(campaign_html([one, Campaign.at(tmp_path / "a")]))["methods"]) == 2


def test_several_share_a_page(tmp_path: Path) -> None:
    made = Hunted()
    both = [made.campaign(tmp_path / "a"), made.but(model="other").campaign(tmp_path / "b")]
    html = campaign_html(both)
    assert payload(html)["methods"] == ["random (a)", "pgd (a)", "random (b)", "pgd (b)"]
    assert "2 campaigns side by side" in html


def test_what_lies_elsewhere_is_reported_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    local = Hunted().campaign(tmp_path / "a")
    far = Store("memory://far/away")
    far.begin(local.plan, {}, Hunted()._examples(), resume=False)
    place = write_campaign_report(Campaign(far))
    assert place == Path("report.html")
    assert "nothing has been hunted yet" in place.read_text()


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    refused = {tmp_path: "a report is written as .html", tmp_path / "missing" / "report.html": "cannot write"}
    for place, words in refused.items():
        with pytest.raises(OutputRefused, match=words):
            write_campaign_report(campaign, place)
    assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208 - names only


def test_an_unreadable_shard_is_named(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    broken = next((tmp_path / "a" / "shards").iterdir())
    broken.write_bytes(b"PAR1 no")
    with pytest.raises(InvalidData, match=broken.name):
        write_campaign_report(campaign)
    assert not (tmp_path / "a" / "report.html").exists()


def test_the_heaviest_page_stays_below_six_megabytes(tmp_path: Path) -> None:
    made = Hunted(seeds=40, shape=(3, 64, 64), each=12, methods=("pgd",), classes=("y" * 300,) * 6, shard=60)
    html = campaign_html(made.campaign(tmp_path / "a"))
    assert len(html.encode()) < 6_000_000
    assert "A sample of" in html
