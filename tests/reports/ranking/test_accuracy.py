"""The page and the text of a ranking say how often the model is right, and are loud where that looks wrong."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.reports.accuracies import BY_CHANCE, LOUD, SOUND, words
from unnerve.reports.parts.facts import ReportFacts
from unnerve.reports.ranking.html import ranking_html
from unnerve.reports.ranking.page import ranking_page
from unnerve.reports.ranking.text import ranking_text

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe

NOTHING = {"vulnerable": False, "labels": False}
FACTS = ReportFacts("unnerve rank it --evaluate", "2025-11-15 12:00", {"unnerve": "0.1.0"})


@pytest.mark.parametrize("changes", [{}, NOTHING], ids=["something to compare", "nothing found"])
def test_the_accuracy_is_the_first_card(recipe: "Recipe", changes: dict[str, bool]) -> None:
    proof = replace(recipe.but(**changes).proof(), accuracy=SOUND)
    card = ranking_page(proof, FACTS).cards[0]
    assert (card.figure, card.name, card.note[:9]) == ("91.7 %", "accuracy on the images as they are", "44 of 48;")
    text = words(ranking_html(proof))
    assert "91.7 % accuracy on the images as they are 44 of 48; 100 % is best; 95 % interval " in text
    assert "WARNING" not in text


def test_a_card_of_an_accuracy_that_looks_wrong_says_so(recipe: "Recipe") -> None:
    text = words(ranking_html(replace(recipe.proof(), accuracy=BY_CHANCE)))
    assert "25 % accuracy on the images as they are WARNING: this looks wrong; 12 of 48;" in text


@pytest.mark.parametrize("why", LOUD)
@pytest.mark.parametrize("changes", [{}, NOTHING], ids=["something to compare", "nothing found"])
def test_answers_that_look_wrong_are_the_first_doubt(recipe: "Recipe", changes: dict[str, bool], why: str) -> None:
    accuracy, said = LOUD[why]
    proof = replace(recipe.but(**changes).proof(), accuracy=accuracy)
    assert ranking_page(proof, FACTS).caveats[0].startswith(f"WARNING: zoo:tiny: {said}")
    assert f"WARNING: zoo:tiny: {said}" in words(ranking_html(proof))


@pytest.mark.parametrize("why", LOUD)
def test_the_text_begins_with_what_makes_it_doubtful(recipe: "Recipe", why: str) -> None:
    accuracy, said = LOUD[why]
    sound = ranking_text(replace(recipe.proof(), accuracy=SOUND), None).splitlines()
    first, *others = ranking_text(replace(recipe.proof(), accuracy=accuracy), None).splitlines()
    assert first.startswith(f"WARNING: zoo:tiny: {said}")
    assert others[:3] == sound[:3], "none of the other doubts gives way"


def test_the_text_tells_the_accuracy(recipe: "Recipe") -> None:
    text = ranking_text(replace(recipe.proof(), accuracy=SOUND), None)
    assert "; accuracy 91.7 %." in text
    assert "WARNING" not in text
