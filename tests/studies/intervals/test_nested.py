import numpy as np
import pytest

from unnerve.studies.intervals.nested import Drawn, nested


def mean_of(values: list[np.ndarray]):  # type: ignore[no-untyped-def]
    return lambda drawn: float(np.mean([values[number][rows].mean() for number, rows in drawn]))


def test_networks_that_differ_widen_it() -> None:
    inputs = np.linspace(0, 1, 50)
    alike, apart = [inputs, inputs, inputs], [inputs, inputs + 1, inputs + 2]
    narrow, wide = (nested([50] * 3, mean_of(some)) for some in (alike, apart))
    assert narrow is not None
    assert wide is not None
    assert (narrow.mean, wide.mean) == pytest.approx((0.5, 1.5))
    assert narrow.high - narrow.low < 0.4
    assert wide.high - wide.low > 1.5, "three networks say little of a fourth"


def test_it_stays_inside_what_the_figure_can_be() -> None:
    shares = [np.array([1.0] * 19 + [0.0])]
    found = nested([20], mean_of(shares))
    assert found is not None
    assert 0 <= found.low < found.mean == pytest.approx(0.95)
    assert found.high <= 1


def test_the_same_figure_twice_and_none_without_one() -> None:
    values = [np.arange(10.0), np.arange(10.0) ** 2]
    assert nested([10, 10], mean_of(values)) == nested([10, 10], mean_of(values))
    assert nested([10], lambda drawn: None) is None


def test_a_single_input_of_a_single_network_says_nothing() -> None:
    found = nested([1], mean_of([np.array([3.0])]))
    assert found is not None
    assert (found.mean, found.low, found.high) == (3.0, -np.inf, np.inf)


def test_inputs_are_drawn_within_their_network() -> None:
    seen: list[tuple[int, int, int]] = []

    def figure(drawn: Drawn) -> float:
        seen.extend((number, len(rows), int(rows.max())) for number, rows in drawn)
        return 0.0

    nested([5, 9], figure)
    assert all(count == (5, 9)[number] and most < count for number, count, most in seen)
    assert {number for number, _, _ in seen} == {0, 1}


def test_five_networks_are_mostly_covered() -> None:
    random = np.random.default_rng(7)
    covered = 0
    for _ in range(30):
        networks = [random.normal(level, 1, 20) for level in random.normal(0, 1, 5)]
        found = nested([20] * 5, mean_of(networks))
        assert found is not None
        covered += found.low <= 0 <= found.high
    assert covered >= 26, "percentiles alone would cover about 24"
