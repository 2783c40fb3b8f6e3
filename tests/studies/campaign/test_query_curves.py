import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.campaign.tally import SeedTally, Tally
from unnerve.studies.campaign.query_curves import query_curves
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.proportion import proportion

A = SeedTally("a", 40, 10, 6, errors=(8, 12, 20, 40), kinds=((3, 8), (7, 12)), failed=None)
B = SeedTally("b", 40, 10, 0, errors=(), kinds=(), failed=None)
C = SeedTally("c", 30, 8, 2, errors=(5, 30), kinds=((1, 5), (2, 30)), failed=None)
LOST = SeedTally("d", 0, 0, 0, errors=(), kinds=(), failed="raised")


def test_by_hand() -> None:
    curves = query_curves(Tally("pgd", (A, B, LOST, C)), 40)
    assert curves.queries[0] == 1
    assert curves.queries[-1] == 40
    assert list(curves.queries) == list(range(1, 41)), "few queries: every number is a point"

    def at(name: str, queries: int) -> float:
        return float(curves.means[name][queries - 1]) * 3

    for queries, broken, kinds, errors in [
        (1, 0, 0, 0),
        (4, 0, 0, 0),
        (5, 1, 1, 1),
        (7, 1, 1, 1),
        (8, 2, 2, 2),
        (12, 2, 3, 3),
        (20, 2, 3, 4),
        (29, 2, 3, 4),
        (30, 2, 4, 5),
        (39, 2, 4, 5),
        (40, 2, 4, 6),
    ]:
        found = [at(name, queries) for name in ("seeds_broken", "error_categories", "errors")]
        assert found == pytest.approx([broken, kinds, errors]), queries


def test_kinds_that_come_late_count_late() -> None:
    """The order in which kinds are listed is not the order in which they were reached."""
    seed = SeedTally("a", 9, 9, 2, errors=(3, 7), kinds=((5, 7), (2, 3)), failed=None)
    curves = query_curves(Tally("pgd", (seed,)), 9)
    assert curves.means["error_categories"].tolist() == [0, 0, 1, 1, 1, 1, 2, 2, 2]


def test_bands_are_intervals_point_by_point() -> None:
    curves = query_curves(Tally("pgd", (A, B, C)), 40)
    assert (curves.low["seeds_broken"][-1], curves.high["seeds_broken"][-1]) == pytest.approx(proportion(2, 3).ci95)
    errors = count_mean(BoundedCounts(np.array([4.0, 0.0, 2.0]), 4))
    assert (curves.low["errors"][-1], curves.high["errors"][-1]) == pytest.approx(errors.ci95)


def test_bands_have_width_where_nothing_was_found_yet() -> None:
    curves = query_curves(Tally("pgd", (A, B)), 40)
    assert curves.means["errors"][0] == curves.low["errors"][0] == 0
    assert curves.high["errors"][0] == pytest.approx(4 * proportion(0, 2).high), "a seed brought four by the end"


def test_spread_is_that_of_a_share() -> None:
    seeds = tuple(SeedTally(str(n), 9, 9, 1, (4,) if n < 60 else (), (), None) for n in range(100))
    curves = query_curves(Tally("pgd", seeds), 9)
    reach = 1.96 * np.sqrt(0.6 * 0.4 / 100)
    assert curves.low["seeds_broken"][-1] == pytest.approx(0.6 - reach, abs=0.02)
    assert curves.high["seeds_broken"][-1] == pytest.approx(0.6 + reach, abs=0.02)


@pytest.mark.parametrize("seeds", [(), (LOST,)])
def test_nothing_hunted(seeds: tuple[SeedTally, ...]) -> None:
    curves = query_curves(Tally("pgd", seeds), 10)
    assert all(not curve.any() for curve in curves.means.values())
    assert curves.queries.tolist() == list(range(1, 11))


def test_many_queries_have_few_points() -> None:
    curves = query_curves(Tally("pgd", (A,)), 1_000_000)
    assert len(curves.queries) <= 120
    assert curves.queries[-1] == 1_000_000
    assert curves.means["errors"][-1] == 4


@given(
    times=st.lists(st.lists(st.integers(1, 200), max_size=6), min_size=1, max_size=6),
    most=st.integers(1, 250),
)
def test_curves_never_fall_and_end_at_the_count(times: list[list[int]], most: int) -> None:
    seeds = tuple(
        SeedTally(str(place), 200, 9, 9, tuple(sorted(some)), tuple(enumerate(sorted(some))), None)
        for place, some in enumerate(times)
    )
    curves = query_curves(Tally("pgd", seeds), most)
    for name, mean in curves.means.items():
        assert (np.diff(mean) >= 0).all()
        assert (curves.low[name] <= mean + 1e-12).all()
        assert (mean <= curves.high[name] + 1e-12).all()
    inside = [[one for one in some if one <= max(most, 2)] for some in times]
    assert curves.means["errors"][-1] == pytest.approx(sum(map(len, inside)) / len(times))
    assert curves.means["seeds_broken"][-1] == pytest.approx(sum(map(bool, inside)) / len(times))
