from collections.abc import Iterator

from unnerve.measure.curves.f_measure import FMeasure, f_measure


def test_by_hand() -> None:
    # Two inputs fail all 100 tries each, the third succeeds at its eighth.
    assert f_measure([None, None, 7], 100) == FMeasure(208, 3, censored=False)


def test_success_at_the_very_first_try_costs_one() -> None:
    assert f_measure([0, None], 100) == FMeasure(1, 1, censored=False)


def test_success_at_the_last_try_costs_all() -> None:
    assert f_measure([9], 10) == FMeasure(10, 1, censored=False)


def test_nothing_past_the_first_success_is_read() -> None:
    read = []

    def outcomes() -> Iterator[int | None]:
        for place, first in enumerate([None, 4, 0]):
            read.append(place)
            yield first

    assert f_measure(outcomes(), 10).generations == 15
    assert read == [0, 1]


def test_no_success_is_censored() -> None:
    assert f_measure([None] * 3, 10) == FMeasure(30, 3, censored=True)


def test_nothing_to_try_is_censored() -> None:
    assert f_measure([], 10) == FMeasure(0, 0, censored=True)
