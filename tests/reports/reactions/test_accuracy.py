"""The page and the text on reactions say how often the model is right, and are loud where that looks wrong."""

from dataclasses import replace

import pytest

from tests.reports.accuracies import LOUD, SOUND, words
from unnerve.reports.reactions.html import reactions_html
from unnerve.reports.reactions.page import reactions_page
from unnerve.reports.reactions.text import reactions_text
from unnerve.studies.react.result import Reactions


def test_the_accuracy_is_among_the_facts(found: Reactions) -> None:
    text = words(reactions_html(replace(found, accuracy=SOUND)))
    assert "Accuracy 91.7 % (" in text
    assert "Accuracy Accuracy" not in text
    assert "), 44 of 48" in text
    assert "WARNING" not in text


def test_an_accuracy_that_is_not_known_is_left_out(found: Reactions) -> None:
    assert "Accuracy" not in words(reactions_html(found))


@pytest.mark.parametrize("why", LOUD)
def test_answers_that_look_wrong_are_the_first_doubt(found: Reactions, why: str) -> None:
    accuracy, said = LOUD[why]
    doubtful = replace(found, accuracy=accuracy)
    first = reactions_page(doubtful, (), "", "today").caveats[0]
    assert first.startswith("WARNING: ")
    assert said in first
    text = words(reactions_html(doubtful))
    assert 0 < text.find("WARNING: ") < text.find(said) < text.index("Means over 10 pairs")


@pytest.mark.parametrize("why", LOUD)
def test_the_text_begins_with_what_makes_it_doubtful(found: Reactions, why: str) -> None:
    accuracy, said = LOUD[why]
    first = reactions_text(replace(found, accuracy=accuracy)).splitlines()[0]
    assert first.startswith("WARNING: ")
    assert said in first


def test_the_text_begins_with_the_accuracy(found: Reactions) -> None:
    assert reactions_text(replace(found, accuracy=SOUND)).startswith("Accuracy 91.7 % (")
