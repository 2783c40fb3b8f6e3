"""A limit in words, and its verdict on an interval."""

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.studies.gates.limit import Limit
from unnerve.studies.gates.quantities import Quantity


def test_a_limit_is_read_as_it_is_written() -> None:
    assert Limit.of("broken > 5%") == Limit("broken", ">", 0.05, percent=True)
    assert Limit.of("pgd:steps=40.broken>=0.5") == Limit("pgd:steps=40.broken", ">=", 0.5)
    assert str(Limit.of("  accuracy<97.5 % ")) == "accuracy < 97.5 %"


@pytest.mark.parametrize("text", ["", "broken", "broken > ", "> 5%", "broken > many", "broken > nan", "broken = 5"])
def test_what_is_no_limit_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InvalidSetting, match="a limit must be like 'broken > 5%', got"):
        Limit.of(text)


@pytest.mark.parametrize("text", ["broken > 500%", "accuracy < 100.1 %"])
def test_a_share_that_cannot_be_is_no_limit(text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^a limit in % must be <= 100 %, got '{text}'$"):
        Limit.of(text)


@pytest.mark.parametrize(
    ("limit", "low", "high", "verdict"),
    [
        ("a > 0.05", 0.06, 0.2, "broken"),
        ("a > 0.05", 0.0, 0.05, "held"),
        ("a > 0.05", 0.05, 0.06, "undecided"),
        ("a >= 0.05", 0.05, 0.06, "broken"),
        ("a >= 0.05", 0.0, 0.05, "undecided"),
        ("a < 0.9", 0.8, 0.89, "broken"),
        ("a < 0.9", 0.9, 0.95, "held"),
        ("a <= 0.9", 0.85, 0.9, "broken"),
        ("a < 0.9", None, None, "undecided"),
    ],
)
def test_only_a_whole_interval_decides(limit: str, low: float | None, high: float | None, verdict: str) -> None:
    assert Limit.of(limit).verdict(Quantity("a", low, low, high)) == verdict


def test_an_unfinished_run_may_break_a_limit_but_not_hold_it() -> None:
    limit = Limit.of("a > 3")
    assert limit.verdict(Quantity("a", 5, 5, 5, settled=False)) == "broken"
    assert limit.verdict(Quantity("a", 2, 2, 2, settled=False)) == "undecided"
