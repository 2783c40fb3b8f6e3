import pytest

from unnerve.core.catalogue import KINDS, names
from unnerve.core.errors import UnknownName
from unnerve.studies.methods import method_cards


def test_there_is_a_card_for_every_method() -> None:
    assert [(card.kind, card.name) for card in method_cards()] == [
        (kind, name) for kind in KINDS for name in names(kind)
    ]


def test_a_card_says_what_there_is_to_know() -> None:
    card = next(card for card in method_cards("patch") if card.kind == "perturbation")
    assert (card.name, card.kind, card.settings) == ("patch", "perturbation", ("size=2", "colour=random"))
    assert card.summary == "Overwrite one size x size block at a random place."
    assert card.reference.startswith("Zhang et al., ")
    assert "settings: size=2, colour=random" in card.page()
    assert card.description in card.page()


def test_evidence_is_no_setting() -> None:
    (card,) = method_cards("pd")
    assert card.settings == ()
    assert "settings: none" in card.page()


def test_settings_without_default_must_be_given() -> None:
    (card,) = method_cards("linf")
    assert card.settings == ("radius", "low=0.0", "high=1.0")


def test_the_card_of_a_function_beside_a_class_is_the_functions() -> None:
    (card,) = method_cards("f-measure")
    assert card.summary == "Count the tries until the first adversary along an order of inputs."


def test_one_name_may_have_a_card_in_several_kinds() -> None:
    assert [card.kind for card in method_cards("random")] == ["score", "search", "hunter"]


def test_settings_that_are_methods_are_shown_by_name() -> None:
    (card,) = method_cards("guided")
    assert card.settings == ("search=pso", "objective=margin", "encoding=None", "enough=None")


def test_unknown_names_suggest_near_ones() -> None:
    with pytest.raises(UnknownName, match="unknown method 'giny'; did you mean gini"):
        method_cards("giny")
