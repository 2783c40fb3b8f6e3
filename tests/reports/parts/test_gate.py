"""The verdict on limits, in words."""

from unnerve.reports.parts.gate import LimitBar, badge, gate_lines
from unnerve.studies.gates.gate import gate


def test_a_badge_says_the_worst_in_words_and_a_mark() -> None:
    figures = {"broken": 0.5, "broken_ci95": [0.4, 0.6], "errors": 3, "complete": False}
    judged = gate(figures, ["broken > 5%", "errors > 3"])
    assert judged is not None
    shown = badge(judged)
    assert shown is not None
    assert (shown.verdict, shown.words) == ("broken", "Broken: fail if broken > 5 %, and 1 more")
    assert gate_lines(judged) == [
        "BROKEN: fail if broken > 5 %; broken is 50 % (95 %: 40 to 60 %), so far",
        "UNDECIDED: fail if errors > 3; errors is 3, so far",
    ]
    assert badge(None) is None


def test_what_is_not_known_is_said() -> None:
    judged = gate({"broken": None, "broken_ci95": None}, ["broken > 5%"])
    assert judged is not None
    assert gate_lines(judged) == ["UNDECIDED: fail if broken > 5 %; broken is not known"]


def test_a_limit_of_a_share_is_marked_on_its_bar() -> None:
    found = {"broken": 0.5, "broken_ci95": [0.4, 0.6], "errors": 7}
    shown = badge(gate(found, ["broken > 5%"]))
    assert shown is not None
    assert shown.bar == LimitBar(50.0, 40.0, 60.0, 5.0)
    counted = badge(gate(found, ["errors > 5"]))
    assert counted is not None
    assert counted.bar is None
