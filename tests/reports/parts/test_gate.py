"""The verdict on limits, in words."""

import pytest

from unnerve.reports.parts.gate import LimitBar, badge, gate_lines
from unnerve.studies.gates.gate import gate


def test_a_badge_says_the_worst_in_words_and_a_mark() -> None:
    figures = {"broken": 0.5, "broken_ci95": [0.4, 0.6], "errors": 3, "complete": False}
    judged = gate(figures, ["broken > 5%", "errors > 3"])
    assert judged is not None
    shown = badge(judged)
    assert shown is not None
    assert (shown.verdict, shown.words) == ("broken", "Broken: more than 5 % break (1 other limit undecided)")
    assert gate_lines(judged) == [
        "BROKEN: more than 5 % break: 50 % (95 %: 40 to 60 %), so far",
        "UNDECIDED: errors perhaps above 3: 3, so far",
    ]
    assert badge(None) is None


@pytest.mark.parametrize(
    ("limits", "words", "details"),
    [
        (["broken > 99%"], "Held: at most 99 % break", ("Measured: 50 % (95 %: 40 to 60 %)",)),
        (["broken < 90%"], "Broken: less than 90 % break", ("Measured: 50 % (95 %: 40 to 60 %)",)),
        (["broken > 50%"], "Undecided: perhaps more than 50 % break", ("Measured: 50 % (95 %: 40 to 60 %)",)),
        (["errors > 100000"], "Held: errors at most 100,000", ("Measured: 7",)),
        (
            ["errors >= 7", "errors > 5", "broken <= 0.1"],
            "Broken: errors at least 7 (1 other limit broken, 1 other limit held)",
            (
                "BROKEN: errors at least 7: 7",
                "BROKEN: errors above 5: 7",
                "HELD: broken above 0.1: 0.5 (95 %: 0.4 to 0.6)",
            ),
        ),
    ],
)
def test_a_verdict_says_on_which_side_of_the_limit_the_figure_lies(
    limits: list[str], words: str, details: tuple[str, ...]
) -> None:
    shown = badge(gate({"broken": 0.5, "broken_ci95": [0.4, 0.6], "errors": 7}, limits))
    assert shown is not None
    assert (shown.words, shown.details) == (words, details)


def test_a_limit_of_every_method_names_the_one_that_decided() -> None:
    rows = [{"method": name, "broken": 0.5, "broken_ci95": [0.4, 0.6]} for name in ("pgd", "fgsm")]
    shown = badge(gate({"rows": rows}, ["broken > 5%"]))
    assert shown is not None
    assert shown.words == "Broken: more than 5 % break with pgd"
    assert shown.details == ("Measured: 50 % (95 %: 40 to 60 %)",)


def test_what_is_not_known_is_said() -> None:
    judged = gate({"broken": None, "broken_ci95": None}, ["broken > 5%"])
    assert judged is not None
    assert gate_lines(judged) == ["UNDECIDED: perhaps more than 5 % break: not known"]


def test_a_limit_of_a_share_is_marked_on_its_bar() -> None:
    found = {"broken": 0.5, "broken_ci95": [0.4, 0.6], "errors": 7}
    shown = badge(gate(found, ["broken > 5%"]))
    assert shown is not None
    assert shown.bar == LimitBar(50.0, 40.0, 60.0, 5.0)
    counted = badge(gate(found, ["errors > 5"]))
    assert counted is not None
    assert counted.bar is None
