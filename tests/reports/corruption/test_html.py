"""The page on natural changes; no network is asked."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from tests.reports.markup import parsed, payload
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.core.errors import OutputRefused
from unnerve.reports.corruption.html import corruption_html, write_corruption_report
from unnerve.reports.corruption.next_step import next_step
from unnerve.reports.corruption.text import corruption_text
from unnerve.reports.parts.plotly import library
from unnerve.studies.corrupt.result import Corruption, Series


@pytest.fixture
def found() -> Corruption:
    """Return ten inputs of two classes: fog turns one at severity 1 and three at severity 5, jpeg none."""
    right = np.ones((10, 2, 2), bool)
    right[0, 1] = False
    right[:3, 1, 1] = False
    images = np.zeros((3, 1, 4, 4), np.float32)
    shown = (Series("7", images, (0, 0, 0), False), Series("0", images, (0, 1, 1), True))
    known = np.array([0] * 5 + [1] * 5)
    clean = np.ones(10, bool)
    named = ("zoo:tiny", "tiny data", ("jpeg", "fog"), (1, 5))
    return Corruption(*named, right, clean, known, True, ("cat", "dog"), shown, seconds=1.5)


def test_the_page_is_complete_and_stands_alone(found: Corruption) -> None:
    html = corruption_html(found, "unnerve corrupt it", date=datetime(2025, 11, 15, 12, 30))
    tags = parsed(html)
    said = " ".join(" ".join(tags.text).split())
    assert html.count(library()) == 1
    assert all((attrs.get("src") or "data:").startswith("data:") for _, attrs in tags.tags)
    assert "Natural changes lower the accuracy from 100 % to 90 % on average" in said
    assert "Fog harms most: 20 % of the answers are wrong." in said
    assert "unnerve corrupt it" in said
    assert "2025-11-15 12:30" in said
    assert len([tag for tag, attrs in tags.tags if tag == "img"]) == 6
    assert [attrs for _, attrs in tags.tags if attrs.get("class") == "turned"].__len__() == 2


def test_images_are_kept_next_and_clips_are_hunted(found: Corruption) -> None:
    made = Provenance(Call("corrupt", {"severities": "5"}), Opening("zoo:tiny"), Opening("data"))
    images = next_step(replace(found, provenance=made))
    assert images.command == "unnerve corrupt zoo:tiny data --severities 5 --changes fog --out changed.npz"
    clips = tuple(one._replace(images=np.zeros((3, 50), np.float32)) for one in found.shown)
    heard = next_step(replace(found, provenance=made, shown=clips))
    assert heard.command == "unnerve hunt zoo:tiny data --method natural"


def test_charts_have_the_most_harmful_first(found: Corruption) -> None:
    charts = payload(corruption_html(found, "it"))["charts"]
    first, second = charts["lines"]["data"]
    assert (first["name"], second["name"]) == ("fog", "jpeg")
    # Side by side, so that their whiskers can be told apart.
    assert first["customdata"] == second["customdata"] == [0, 1, 5]
    assert [round(one - other, 6) for one, other in zip(second["x"], first["x"], strict=True)] == [0.05] * 3
    below = [
        one - less
        for line in (first, second)
        for one, less in zip(line["y"], line["error_y"]["arrayminus"], strict=True)
    ]
    lowest = min(below)
    axis = charts["lines"]["layout"]["yaxis"]
    assert lowest - 0.16 < axis["range"][0] < lowest
    assert axis["title"]["text"] == f"accuracy (from {100 * axis['range'][0]:g} %)"
    assert first["y"] == pytest.approx([1, 0.9, 0.7])
    assert charts["table"]["data"][0]["text"] == [["90 %", "70 %"], ["100 %", "100 %"]]


def test_text_and_harm_by_class(found: Corruption) -> None:
    text = corruption_text(found, "r.html")
    assert "mean corruption error 10 %" in text
    assert "fog" in text.splitlines()[4]
    harms = found.harms()
    assert (harms["cat"].change, harms["dog"].change) == ("fog", None)
    assert harms["cat"].error.mean == pytest.approx(0.4)
    assert "without changes" in text
    assert text.splitlines()[-1] == "Report: r.html"


def test_without_labels_it_speaks_of_answers(found: Corruption) -> None:
    unknown = replace(found, labelled=False)
    said = " ".join(" ".join(parsed(corruption_html(unknown, "it")).text).split())
    assert "After natural changes 90 % of the answers are as they were" in said
    assert "The data have no labels" in said


def test_hostile_names_are_text(found: Corruption, hostile: tuple[str, ...]) -> None:
    bad = replace(found, model=hostile[0], data=hostile[1], classes=hostile[:2], out=hostile[2])
    html = corruption_html(bad, hostile[1]).replace(library(), "")
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    assert html.lower().count("<script") == html.lower().count("</script>") == 4
    assert all(character == "\n" or character.isprintable() for character in corruption_text(bad, hostile[2]))


def test_it_is_written_whole_or_not_at_all(found: Corruption, tmp_path: Path) -> None:
    assert found.report(tmp_path / "a.html") == tmp_path / "a.html"
    with pytest.raises(OutputRefused, match="cannot write"):
        write_corruption_report(found, tmp_path / "no" / "a.html", "it")
