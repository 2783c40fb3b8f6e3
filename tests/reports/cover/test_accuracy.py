"""The page on coverage says how often the model is right, and is loud where that looks wrong."""

from dataclasses import replace

import pytest

from tests.reports.accuracies import ALIKE, BY_CHANCE, LOUD, SOUND, words
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.cover.html import cover_html
from unnerve.studies.cover.cover import cover
from unnerve.studies.cover.result import Cover
from unnerve.subjects.adapters.torch_module import TorchModule

OPENED = Provenance(Call("cover"), Opening("zoo:tiny"), Opening("small"))


@pytest.fixture
def found(tiny_model: TorchModule, small_data: Examples) -> Cover:
    """Return what three inputs cover."""
    return replace(cover(tiny_model, small_data.take(range(3)), criteria="tknc"), provenance=OPENED)


def test_the_accuracy_has_a_card(found: Cover) -> None:
    text = words(cover_html(replace(found, accuracy=SOUND)))
    assert "91.7 % accuracy 44 of 48; 100 % is best; 95 % interval " in text
    assert "WARNING" not in text
    assert "unknown accuracy needs data with labels" in words(cover_html(replace(found, accuracy=ALIKE)))


def test_a_card_of_an_accuracy_that_looks_wrong_says_so(found: Cover) -> None:
    text = words(cover_html(replace(found, accuracy=BY_CHANCE)))
    assert "25 % accuracy WARNING: this looks wrong; 12 of 48;" in text


@pytest.mark.parametrize("why", LOUD)
def test_answers_that_look_wrong_are_said_before_the_next_step(found: Cover, why: str) -> None:
    accuracy, said = LOUD[why]
    text = words(cover_html(replace(found, accuracy=accuracy)))
    assert 0 < text.find(f"WARNING: tiny: {said}") < text.index("Next:")
