import math

import pytest

from unnerve.measure.curves.eff_d import eff_d

# NSATP Table VI: rates of PD, PE, PV, and their marks.
TABLE_6 = [
    ((3.87, 3.81, 3.86), ("Best", "Worst", "Middle")),
    ((90.37, 74.28, 84.28), ("Best", "Worst", "Middle")),
    ((3.18, 3.11, 3.16), ("Best", "Worst", "Middle")),
    ((13.27, 10.80, 12.31), ("Best", "Worst", "Middle")),
    ((3.87, 4.00, 3.95), ("Worst", "Best", "Middle")),
    ((20.76, 8.88, 11.46), ("Best", "Worst", "Middle")),
    ((1.56, 1.64, 1.61), ("Worst", "Best", "Middle")),
    ((8.52, 5.42, 6.53), ("Best", "Worst", "Middle")),
]


@pytest.mark.parametrize(("rates", "marks"), TABLE_6)
def test_the_papers_marks(rates: tuple[float, ...], marks: tuple[str, ...]) -> None:
    assert tuple(eff_d(dict(zip(("pd", "pe", "pv"), rates, strict=True))).values()) == marks


def test_the_papers_tally() -> None:
    marked = [eff_d(dict(zip(("pd", "pe", "pv"), rates, strict=True))) for rates, _ in TABLE_6]
    tally = [[one[name] for one in marked].count("Best") for name in ("pd", "pe", "pv")]
    assert tally == [6, 2, 0]


def test_the_size_of_the_rate_counts_not_its_sign() -> None:
    assert eff_d({"a": -5.0, "b": 3.0}) == {"a": "Best", "b": "Worst"}


def test_failed_fits_are_not_marked() -> None:
    assert eff_d({"a": math.nan, "b": 3.0, "c": 2.0}) == {"a": "-", "b": "Best", "c": "Worst"}
    assert eff_d({"a": math.nan}) == {"a": "-"}


def test_alone_it_is_the_best() -> None:
    assert eff_d({"a": 1.0}) == {"a": "Best"}
