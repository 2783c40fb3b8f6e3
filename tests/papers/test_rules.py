"""Verdicts by hand."""

import pytest

from unnerve.papers._rules import Rule, above, tallied
from unnerve.studies.intervals.interval import Interval

RULE = Rule("it works", "it always works", "Table I", "held if always")


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(0.6, 0.9, True), (0.1, 0.4, False), (0.4, 0.6, None), (0.5, 0.9, None)]
)
def test_an_interval_that_straddles_the_limit_leaves_it_open(low: float, high: float, expected: bool | None) -> None:
    assert above(Interval(0.5, low, high), 0.5) is expected


def test_no_figure_is_open() -> None:
    assert above(None, 0.5) is None


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([True, True], "held"),
        ([True, True, False], "partly"),
        ([True, False], "not held"),
        ([True, None], "cannot be decided"),
        # Two of three whichever way the third turns out would be held or partly.
        ([True, True, None], "cannot be decided"),
        # Three of five or four of five: partly either way.
        ([True, True, True, None, False], "partly"),
        ([False, False, None], "not held"),
        ([], "cannot be decided"),
    ],
)
def test_verdicts_by_hand(outcomes: list[bool | None], verdict: str) -> None:
    assert tallied(outcomes) == verdict


def test_usually_asks_for_more_than_half() -> None:
    assert tallied([True, False], held=0.5 + 1e-9, partly=0.25) == "partly"
    assert tallied([True, True, False], held=0.5 + 1e-9, partly=0.25) == "held"


@pytest.mark.parametrize(
    ("verdict", "held"), [("held", True), ("not held", False), ("partly", None), ("cannot be decided", None)]
)
def test_held_is_true_false_or_null(verdict: str, held: bool | None) -> None:
    claim = RULE.decided(verdict, "always", "once")  # type: ignore[arg-type]
    assert (claim.held, claim.verdict, claim.rule, claim.place) == (held, verdict, "held if always", "Table I")
