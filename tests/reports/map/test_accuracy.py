"""The page and the text of a map say how often the model is right, and are loud where that looks wrong."""

from pathlib import Path

import pytest

from tests.reports.accuracies import BY_CHANCE, LOUD, SOUND, words
from tests.reports.maps import Mapped
from unnerve.reports.map.html import map_html
from unnerve.reports.map.page import map_page
from unnerve.reports.map.text import map_text
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.map.result import UncertaintyMap


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, accuracy: Accuracy, each: int = 4) -> UncertaintyMap:
    """Return a map whose campaign noted this accuracy."""
    monkeypatch.setattr(Campaign, "accuracy", accuracy)
    return Mapped().but(each=each).found(folder / "a")


def test_the_accuracy_has_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = words(map_html(found(tmp_path, monkeypatch, SOUND)))
    assert "91.7 % accuracy on the images looked at 44 of 48; 100 % is best; 95 % interval " in text
    assert "WARNING" not in text


def test_a_card_of_an_accuracy_that_looks_wrong_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = words(map_html(found(tmp_path, monkeypatch, BY_CHANCE)))
    assert "25 % accuracy on the images looked at WARNING: this looks wrong; 12 of 48;" in text


@pytest.mark.parametrize("why", LOUD)
@pytest.mark.parametrize("each", [4, 0], ids=["something to compare", "nothing found"])
def test_answers_that_look_wrong_are_the_first_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, each: int, why: str
) -> None:
    accuracy, said = LOUD[why]
    mapped = found(tmp_path, monkeypatch, accuracy, each)
    assert map_page(mapped, None, "today").caveats[0].startswith(f"WARNING: zoo:tiny: {said}")
    assert f"WARNING: zoo:tiny: {said}" in words(map_html(mapped))


@pytest.mark.parametrize("why", LOUD)
def test_the_text_begins_with_what_makes_it_doubtful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    accuracy, said = LOUD[why]
    assert map_text(found(tmp_path, monkeypatch, accuracy)).startswith(f"WARNING: {said}")


def test_the_text_tells_the_accuracy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert map_text(found(tmp_path, monkeypatch, SOUND)).splitlines()[1].startswith("Accuracy 91.7 % (")
