"""Whether a run held the limits that its user stated."""

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.studies.gates.gate import GateSettings, gate

ROWS = {
    "rows": [
        {"method": "pgd", "inputs": 100, "errors": 7, "broken": 0.4, "broken_ci95": [0.3, 0.5]},
        {"method": "fgsm", "inputs": 100, "errors": 0, "broken": 0.04, "broken_ci95": [0.01, 0.1]},
    ]
}


@pytest.mark.parametrize(
    ("limits", "verdict", "passes"),
    [
        (["broken > 20%"], "broken", False),
        (["fgsm.broken > 20%"], "held", True),
        (["fgsm.broken > 5%"], "undecided", True),
        (["fgsm.broken > 20%", "pgd.errors > 6"], "broken", False),
    ],
)
def test_the_worst_verdict_counts(limits: list[str], verdict: str, passes: bool) -> None:
    judged = gate(ROWS, limits)
    assert judged is not None
    assert (judged.verdict, judged.passes) == (verdict, passes)
    assert [one["verdict"] for one in judged.to_json()["limits"]].count(verdict) >= 1


def test_undecided_fails_where_that_is_wished() -> None:
    judged = gate(ROWS, ["fgsm.broken > 5%"], "fail")
    assert judged is not None
    assert not judged.passes


def test_a_single_limit_may_be_given_alone() -> None:
    assert gate(ROWS, "pgd.broken > 20%") == gate(ROWS, ["pgd.broken > 20%"])


def test_without_limits_there_is_no_gate() -> None:
    assert gate(ROWS, []) is None


@pytest.mark.parametrize(
    ("limits", "undecided", "message"),
    [
        (["broke > 5%"], "pass", "a limit must be of one of broken, errors, got 'broke'"),
        (["pgd.errors > 5%"], "pass", "a limit of pgd.errors, which is a count, must not be in %"),
        ([], "maybe", "undecided must be pass or fail, got 'maybe'"),
    ],
)
def test_mistakes_show_before_the_run(limits: list[str], undecided: str, message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        GateSettings(tuple(limits), undecided).check(["broken"], ["errors"])


def test_what_an_attack_without_findings_lacks_is_undecided() -> None:
    known = {"auc": {"fgsm": {"value": 0.5, "ci95": [0.4, 0.6]}, "pgd, strongest": {"value": 0.9, "ci95": [0.8, 1.0]}}}
    absent, several = gate(known, ["auc.bim < 60%"]), gate(known, ["auc.pgd < 60%"])
    assert absent is not None
    assert several is not None
    assert (absent.verdict, several.verdict) == ("undecided", "held")


def test_mistakes_show_in_python_too() -> None:
    with pytest.raises(InvalidSetting, match="a limit must be of a number of the output"):
        gate(ROWS, ["other > 1"])
    with pytest.raises(InvalidSetting, match="which is a count"):
        gate(ROWS, ["pgd.errors > 5%"])
