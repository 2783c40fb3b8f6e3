"""Numbers for people."""

import pytest

from unnerve.reports.parts.numbers import (
    between,
    confidence,
    count,
    duration,
    finite,
    percent,
    percent_between,
    significant,
    tries,
    unbroken,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (4.0, "4"),
        (4.126, "4.13"),
        (0.012345, "0.0123"),
        (12345.6, "12,300"),
        (999.6, "1,000"),
        (-0.5, "-0.5"),
        (1.2345e-7, "1.23e-07"),
        (float("nan"), "-"),
        (None, "-"),
    ],
)
def test_three_significant_digits(value: float | None, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.98718, "98.7 %"),
        (0.99999, "> 99.9 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.000844, "< 0.1 %"),
        (0.001, "0.1 %"),
        (float("nan"), "-"),
    ],
)
def test_a_share_below_one_is_not_rounded_up_to_it(share: float, text: str) -> None:
    assert percent(share) == text


def test_intervals() -> None:
    assert between(2.25, 6.0) == "2.25 to 6"
    assert percent_between(0.971, 0.992) == "97.1 to 99.2 %"
    assert percent_between(2.62e-39, 0.172) == "< 0.1 to 17.2 %"


def test_nouns_follow_their_numbers() -> None:
    assert [count(1000, "images"), count(1, "images"), count(1, "tries"), count(1234)] == [
        "1,000 images",
        "1 image",
        "1 try",
        "1,234",
    ]
    assert [tries(1.0), tries(1.5)] == ["1 try", "1.5 tries"]


@pytest.mark.parametrize(("seconds", "text"), [(3.456, "3.46 s"), (125.0, "2 min 5 s"), (12000.0, "3 h 20 min")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_only_finite_numbers_reach_json() -> None:
    assert [finite(value) for value in (None, float("nan"), float("inf"), 0.123456)] == [None, None, None, 0.123456]
    assert finite(0.123456, 4) == 0.1235


def test_no_model_is_completely_sure() -> None:
    assert confidence(1.0) == confidence(0.9996) == "> 99.9 %"
    assert (confidence(0.9), confidence(None)) == ("90 %", "-")


def test_numbers_stay_with_units_and_signs() -> None:
    assert unbroken("27 to 59.1 % of 40") == "27 to 59.1\u00a0% of 40"
    assert unbroken("at 20 dB, in 2 min 5 s.") == "at 20\u00a0dB, in 2\u00a0min 5\u00a0s."
    assert unbroken("broken <= 10 %") == "broken <=\u00a010\u00a0%"
    assert unbroken("< 0.1 % and \u2264 0.1") == "<\u00a00.1\u00a0% and \u2264\u00a00.1"
    assert unbroken("class 3 seeds, 4 handwritten") == "class 3 seeds, 4 handwritten"
