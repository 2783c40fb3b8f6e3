"""Two runs of one plan on two models, seed by seed."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from unnerve.core.data.provenance import Call
from unnerve.reports.campaign.comparison.html import comparison_html
from unnerve.reports.campaign.comparison.page import comparison_page
from unnerve.reports.campaign.comparison.seeds import Comparison, comparison
from unnerve.reports.campaign.comparison.words import comparison_text, next_command, tone
from unnerve.reports.write import report
from unnerve.studies.campaign.campaign import Campaign

OLD = Hunted(seeds=60, methods=("pgd",), spared=5, model="zoo:old")
NEW = OLD.but(model="zoo:new", spared=2)
"""The old model holds on 12 of 60 seeds, those divisible by 5; the new one on 30, the even ones."""


def compared(folder: Path, new: Hunted = NEW, old: Hunted = OLD) -> Comparison | None:
    return comparison(old.campaign(folder / "old"), new.campaign(folder / "new"))


def test_fixed_new_and_still_broken(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert found is not None
    even_not_five = [number for number in range(60) if number % 2 == 0 and number % 5]
    odd_fives = [number for number in range(60) if number % 2 and number % 5 == 0]
    assert found.fixed == tuple(map(str, even_not_five))
    assert found.worse == tuple(map(str, odd_fives)) == ("5", "15", "25", "35", "45", "55")
    assert (len(found.still), len(found.held), found.seeds) == (24, 6, 60)
    # 30 of 60 against 48 of 60.
    assert found.difference.mean == pytest.approx(-18 / 60)
    assert tone(found) == "better"
    assert found.to_json()["newly_broken"] == list(found.worse)
    assert comparison_text(found).splitlines()[0] == "zoo:new fails on 30 of 60 inputs, zoo:old on 48."


def test_a_small_difference_may_be_chance(tmp_path: Path) -> None:
    found = compared(tmp_path, OLD.but(model="zoo:new", spared=6))
    assert found is not None
    assert tone(found) == "unclear"
    assert "That may be chance." in comparison_text(found)


def test_only_seeds_that_are_the_same_inputs_are_compared(tmp_path: Path) -> None:
    fewer = compared(tmp_path / "a", NEW.but(seeds=20))
    assert fewer is not None
    assert (fewer.seeds, fewer.only_old, fewer.only_new) == (20, 40, 0)
    failed = compared(tmp_path / "b", NEW.but(failed=(1, 2)))
    assert failed is not None
    assert (failed.seeds, failed.only_old, failed.only_new) == (58, 2, 0)
    assert "2 inputs of the old run and 0 of the new one are left out" in comparison_text(failed)
    assert compared(tmp_path / "c", NEW.but(shape=(1, 8, 9))) is None, "the same ids, but other inputs"


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "zoo:old"},
        {"region": "linf:0.3"},
        {"queries": 2000},
        {"oracle": "becomes:target=1"},
        {"quantised": True},
        {"methods": ("random",)},
        {"methods": ("pgd:steps=3",)},
        {"call": Call("hunt", {"region": "linf:0.1", "inputs": "30", "out": "a"})},
        {"call": Call("hunt", {"region": "linf:0.1", "inputs": "12", "order": "ranking.csv", "out": "a"})},
    ],
)
def test_unlike_runs_are_not_compared(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert compared(tmp_path, NEW.but(**changes)) is None
    page = report(tmp_path / "old", tmp_path / "new", out=tmp_path / "both.html")
    assert "newly broken" not in page.read_text(), "side by side, without claims"


def test_the_next_command_names_findings_of_newly_broken_seeds(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert found is not None
    words = next_command(found).split()
    ids = set(words[words.index("--ids") + 1].split(","))
    rows = {row["id"][:8]: row for row in found.new.findings.to_pylist()}
    assert {rows[one]["seed_id"] for one in ids} == set(found.worse)
    swapped = comparison(found.old, OLD.but(model="zoo:same").campaign(tmp_path / "same"))
    assert swapped is not None
    assert (next_command(swapped), swapped.worse) == ("", ())


def test_seeds_come_in_the_order_of_the_smallest_change_that_breaks_them(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert found is not None
    known = {name: 0.0004 * (60 - int(name)) for name in map(str, range(60))}
    found.new.store.note("smallest_changes", {"norm": "linf", "seeds": known})
    found = comparison(found.old, Campaign.at(tmp_path / "new"))
    assert found is not None
    page = comparison_page(found, "today")
    assert [pair.seed for pair in page.groups[0].pairs] == ["55", "45", "35", "25", "15", "5"]
    changes = {row[0].text: row[5].text for row in page.table.rows}
    assert (changes["55"], changes["5"]) == ("0.002", "0.022")
    ids = page.next_command.split()[-1].split(",")
    rows = {row["id"][:8]: row["seed_id"] for row in found.new.findings.to_pylist()}
    assert [rows[one] for one in ids] == ["55", "45", "35", "25", "15", "5"]


def test_the_page_has_every_group_with_pictures(tmp_path: Path) -> None:
    compared(tmp_path)
    page = report(tmp_path / "old", tmp_path / "new")
    assert page == tmp_path / "new" / "comparison.html"
    html = page.read_text()
    for words in ("Newly broken: 6", "Still broken: 24", "Fixed: 24", "found, old", "found, new", "fails on"):
        assert words in html
    assert html.count('<ol class="compared-pairs">') == 3
    assert len(html) < 1_000_000, "no chart library in a page without charts"


def test_a_group_without_seeds_says_none_and_nothing_else(tmp_path: Path) -> None:
    found = compared(tmp_path, OLD.but(model="zoo:same"))
    assert found is not None
    html = comparison_html(found)
    assert "Newly broken: 0" in html
    assert "The old model held on them." not in html
    assert "Both models fail on them." in html


def test_commands_that_repeat_both_runs_are_lines_of_their_own(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert found is not None
    page = comparison_page(found, "today")
    assert page.command.count("\n") == 2
    code = re.findall(r"<code>(.*?)</code>", comparison_html(found), re.DOTALL)[-1]
    assert unescape(re.sub("<.*?>", "", code)) == page.command
    # A line that ends within an option's box, an inline block, would run into the next command.
    assert not re.search(r"<span>[^<]*\n", code)


def test_hostile_names_are_text(tmp_path: Path, hostile: tuple[str, ...]) -> None:
    made = OLD.but(classes=(*hostile, "d"), model=hostile[0], data=hostile[1])
    found = compared(tmp_path, made.but(model=hostile[1], spared=2), made)
    assert found is not None
    html = comparison_html(found)
    assert "<img src=x" not in html
    assert html.lower().count("<script") == html.lower().count("</script>") == 4
