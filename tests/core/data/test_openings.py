"""How a run came about."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening, noted, opening_from_json, opening_of

OPENING = Opening("net.py:build", {"weights": "w.pt", "limit": "7", "trust": True}, ("normalise",), {"weights": "ab"})


class Model:
    """Anything that can hold a note."""


def test_how_something_was_opened_is_noted_in_it() -> None:
    thing = Model()
    assert opening_of(thing) == Opening()
    assert noted(thing, OPENING) is thing
    assert opening_of(thing) is OPENING
    assert opening_of(object()) == Opening(None, {}, (), {})


def test_the_first_examples_are_still_known_and_others_are_not(small_data: Examples) -> None:
    assert opening_of(small_data) == Opening()
    assert small_data.first(3).opening is None
    known = Examples("d", small_data.source, opening=Opening("d", {"split": "test"}))
    assert known.first(3).opening == Opening("d", {"split": "test", "limit": "3"})
    assert known.first(40) is known
    assert known.first(9).first(3).opening == known.first(3).opening
    assert known.take([0, 1]).opening is None
    assert known.take([0, 1]).first(1).opening is None


def test_an_opening_survives_json() -> None:
    assert opening_from_json(json.loads(json.dumps(asdict(OPENING)))) == OPENING
    assert opening_from_json(json.loads(json.dumps(asdict(Opening())))) == Opening()


@pytest.mark.parametrize(
    "change",
    [
        {"source": 3},
        {"options": ["a"]},
        {"options": {"a": 3}},
        {"options": {"a": False}},
        {"files": None},
        {"files": {"a": 1}},
        {"only_in_python": "ab"},
        {"only_in_python": [1]},
    ],
)
def test_other_json_is_refused(change: dict[str, Any]) -> None:
    whole = json.loads(json.dumps(asdict(OPENING)))
    with pytest.raises(TypeError):
        opening_from_json({**whole, **change})
    with pytest.raises(KeyError):
        opening_from_json({key: whole[key] for key in whole if key not in change})


def test_a_file_is_told_by_its_content_and_not_by_its_place() -> None:
    moved = Opening("net.py:build", {**OPENING.options, "weights": "elsewhere/w.pt"}, ("normalise",), OPENING.files)
    assert moved.decisive("model") == OPENING.decisive("model")
    assert OPENING.decisive("model") == {
        "model opened from": "net.py:build",
        "model opened with --limit": "7",
        "model opened with --trust": True,
        "model opened with --weights (SHA-256)": "ab",
    }
