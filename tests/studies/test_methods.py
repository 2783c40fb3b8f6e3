import pytest

from unnerve.core.errors import UnknownName
from unnerve.core.naming.catalogue import KINDS, names
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


@pytest.mark.parametrize(
    ("kind", "name", "facts"),
    [
        (
            "hunter",
            "pgd",
            ("needs: gradients", "regions: linf, l2 and any other ball of a norm", "random numbers: drawn"),
        ),
        ("hunter", "square", ("needs: answers only", "regions: linf, l2", "random numbers: drawn")),
        ("hunter", "jsma", ("needs: gradients", "regions: any", "random numbers: none")),
        ("hunter", "foreign", ("needs: answers only", "regions: any", "random numbers: only a hunt can tell")),
        ("hunter", "deepsensor", ("needs: neurons", "regions: any", "random numbers: drawn")),
        ("oracle", "becomes", ("needs: answers only",)),
        ("coverage", "kmnc", ("profile of training data: needed",)),
        ("score", "vro", ("asks for: draws, probabilities",)),
        ("curve", "apfd", ()),
    ],
)
def test_a_card_has_the_facts_that_a_method_states(kind: str, name: str, facts: tuple[str, ...]) -> None:
    card = next(card for card in method_cards(name) if card.kind == kind)
    assert card.facts == facts
    assert all(f"\n{fact}\n" in card.page() for fact in facts)


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


def test_old_names_lead_to_the_card_of_the_new_one() -> None:
    assert [card.name for card in method_cards("tour")] == ["class_tour"]


def test_unknown_names_suggest_near_ones() -> None:
    with pytest.raises(UnknownName, match="unknown method 'giny'; did you mean gini"):
        method_cards("giny")
