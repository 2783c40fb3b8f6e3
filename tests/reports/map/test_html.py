"""The report of a map as an HTML file."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reports.maps import Mapped
from tests.reports.markup import parsed, payload
from unnerve.core.errors import OutputRefused
from unnerve.core.patterns import Thresholds
from unnerve.reports.map.html import map_html, write_map_report
from unnerve.reports.parts.plotly import library

DATE = datetime(2025, 11, 15, 12, 30)


def test_the_page_is_complete_and_stands_alone(tmp_path: Path) -> None:
    html = map_html(Mapped().found(tmp_path / "a"), "unnerve map it", date=DATE)
    tags = parsed(html)
    assert html.count(library()) == 1
    assert len(html.encode()) < 10_000_000
    assert [tag for tag, attrs in tags.tags if attrs.get("src") or tag in ("iframe", "object")] == []
    assert all((attrs.get("href") or "#")[0] == "#" or tag == "link" for tag, attrs in tags.tags)
    assert "unnerve map it" in tags.text
    assert any("2025-11-15 12:30" in text for text in tags.text)
    assert "unnerve 0.1.0, torch 2.4.0" in tags.text
    assert html.count("'sha256-") == 3
    data = payload(html)
    assert len(data["inputs"]) == 50
    assert set(data["charts"]) == {"plane", "auc", "stability"}
    anchors = {attrs["id"] for _, attrs in tags.tags if attrs.get("id")}
    links = {(attrs["href"] or "")[1:] for tag, attrs in tags.tags if tag == "a" and attrs.get("class") == "card"}
    assert len(links) == 5  # two cards share the explanation of patterns
    assert links <= anchors


def test_hostile_names_are_text(tmp_path: Path, hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[number % 3]}{number}" for number in range(12))
    made = Mapped(dropout=hostile[0]).but(
        classes=(*hostile, "x" * 500), names=names, model=hostile[0], data=hostile[1], failed=(3,), reason=hostile[1]
    )
    html = map_html(made.found(tmp_path / "</script><b>x\x1b"), f"unnerve {hostile[2]}")
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    outside_library = html.replace(library(), "")
    assert "\x00" not in outside_library
    assert "\x1b" not in outside_library
    assert outside_library.lower().count("<script") == outside_library.lower().count("</script>") == 4
    assert payload(html)["classes"][0] == hostile[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"each": 0},
        {"spared": 1},
        {"labels": False, "oracle": "changed", "classes": ()},
        {"shape": (40,), "region": "l2:0.9"},
        {"shape": (2, 5, 5), "region": "l0:0.5"},
        {"shape": (3, 100, 80), "seeds": 4},
        {"seeds": 1, "methods": ("pgd",), "spared": 9},
        {"missing": 3},
        {"failed": tuple(range(12))},
        {"draws": 1, "early": ()},
        {"draws": 3, "early": ()},
        {"draws": 1000},
        {"thresholds": Thresholds(0, 1, 0, 1)},
        {"methods": tuple(f"pgd:steps={number}" for number in range(1, 9)), "seeds": 5},
    ],
)
def test_every_kind_of_map_has_a_page(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = Mapped().but(**changes).found(tmp_path / "a")
    html = map_html(found)
    data = payload(html)
    assert not any(f"{before} NaN" in json.dumps(data) for before in ",:[")
    assert ("nothing to tell benign" in html) == (not found.attacks)
    assert "None" not in " ".join(parsed(html.replace(library(), "")).text).replace("None of the", "")


def test_figures_that_are_no_numbers_do_not_break_the_page(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    found.groups["pgd, smallest"].figures["pcs"][:2] = [np.nan, np.inf]
    found.groups["benign"].figures["vro"][0] = np.nan
    data = payload(map_html(found))
    assert sum(one["x"] is None for one in data["inputs"]) == 2
    assert sum(one["vro"] is None for one in data["inputs"]) == 1


def test_the_same_map_gives_the_same_page(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    assert map_html(found, date=DATE) == map_html(found, date=DATE)


def test_it_lies_in_the_folder_and_links_to_the_table(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a: #1")
    assert "map.parquet" not in map_html(found, place=tmp_path / "a: #1" / "map.html")
    found.save(tmp_path / "a: #1" / "map.parquet")
    place = write_map_report(found)
    assert place == tmp_path / "a: #1" / "map.html"
    links = [attrs["href"] or "" for tag, attrs in parsed(place.read_text()).tags if tag == "a" and "href" in attrs]
    assert "map.parquet" in links
    elsewhere = write_map_report(found, tmp_path / "other.html").read_text()
    assert 'href="a%3A%20%231/map.parquet"' in elsewhere


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    refused = {tmp_path: "a report is written as .html", tmp_path / "missing" / "map.html": "cannot write"}
    for place, words in refused.items():
        with pytest.raises(OutputRefused, match=words):
            write_map_report(found, place)
    assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208 - names only


def test_the_heaviest_page_stays_below_ten_megabytes(tmp_path: Path) -> None:
    made = Mapped().but(seeds=900, shape=(3, 32, 32), each=2, methods=("pgd",), classes=("y" * 300,) * 6, shard=450)
    html = map_html(made.found(tmp_path / "a"))
    assert len(html.encode()) < 10_000_000
    assert "A sample of" in html
    assert "There is room for" in html
