"""Numbers stay with their units and signs."""

from unnerve.reports.parts.unbroken import unbroken


def test_numbers_stay_with_units_and_signs() -> None:
    assert unbroken("27 to 59.1 % of 40") == "27 to 59.1\u00a0% of 40"
    assert unbroken("at 20 dB, in 2 min 5 s.") == "at 20\u00a0dB, in 2\u00a0min 5\u00a0s."
    assert unbroken("broken <= 10 %") == "broken <=\u00a010\u00a0%"
    assert unbroken("< 0.1 % and \u2264 0.1") == "<\u00a00.1\u00a0% and \u2264\u00a00.1"
    assert unbroken("class 3 seeds, 4 handwritten") == "class 3 seeds, 4 handwritten"
