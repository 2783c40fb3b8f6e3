"""Notes that a stranger sealed."""

from typing import Any

import pytest

from unnerve.core.errors import InvalidData
from unnerve.studies.campaign.stored_notes import changes_from_json, limits_from_json


def test_smallest_changes() -> None:
    assert changes_from_json({"norm": "linf", "seeds": {"3": 0.25, "4": 1}}) == {"3": 0.25, "4": 1.0}


@pytest.mark.parametrize(
    "seeds", [None, [], "x", {"3": "far"}, {"3": None}, {"3": True}, {"3": -1.0}, {"3": float("nan")}, {"3": 10**400}]
)
def test_other_changes_are_refused(seeds: Any) -> None:
    with pytest.raises(InvalidData, match=r"^smallest_changes\.json must have a distance >= 0 for each seed$"):
        changes_from_json({"seeds": seeds})


def test_limits() -> None:
    stated = limits_from_json({"fail_if": ["broken > 5%"], "undecided": "fail"})
    assert (stated.fail_if, stated.undecided) == (("broken > 5%",), "fail")


@pytest.mark.parametrize(
    ("noted", "words"),
    [
        ({}, "must have a list of limits"),
        ({"fail_if": "broken > 5%"}, "must have a list of limits"),
        ({"fail_if": [5]}, "must have a list of limits"),
        ({"fail_if": ["much"], "undecided": "pass"}, "cannot be read: "),
        ({"fail_if": ["broken > 5%"], "undecided": 7}, "cannot be read: undecided must be pass or fail"),
    ],
)
def test_other_limits_are_refused(noted: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidData, match=f"^limits.json {words}"):
        limits_from_json(noted)
