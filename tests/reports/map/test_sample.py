"""Which inputs of a map are shown, and where their dots lie."""

from pathlib import Path

import numpy as np
import pytest

from tests.reports.maps import Mapped
from unnerve.core.patterns import Thresholds
from unnerve.reports.map.sample import JITTER, Dot, jitter, sample
from unnerve.studies.map.result import UncertaintyMap


@pytest.fixture
def found(tmp_path: Path) -> UncertaintyMap:
    return Mapped().found(tmp_path / "a")


def seed(found: UncertaintyMap, dot: Dot) -> str:
    return list(found.groups.values())[dot.group].seed_ids[dot.row]


def test_all_inputs_of_a_small_map_are_there_once(found: UncertaintyMap) -> None:
    dots = sample(found)
    wanted = {(place, row) for place, group in enumerate(found.groups.values()) for row in range(len(group))}
    assert {(dot.group, dot.row) for dot in dots} == wanted
    assert len(dots) == len(wanted) == 12 + 2 * 9 + 2 * 10


def test_a_sample_keeps_seeds_together_and_begins_alike(found: UncertaintyMap) -> None:
    few, more = sample(found, 20), sample(found, 35)
    assert 15 < len(few) <= 20 < len(more) <= 35
    assert more[: len(few)] == few
    for dot in few:
        others = [place for place, group in enumerate(found.groups.values()) if seed(found, dot) in group.seed_ids]
        assert sorted(one.group for one in few if seed(found, one) == seed(found, dot)) == others


def test_dots_move_a_little_and_always_alike(found: UncertaintyMap) -> None:
    dots, groups = sample(found), list(found.groups.values())
    assert dots == sample(found)
    for metric, place, most in (("pcs", "x", JITTER), ("vro", "y", 0.4 / 50)):
        true = np.array([groups[dot.group].figures[metric][dot.row] for dot in dots])
        moved = np.array([getattr(dot, place) for dot in dots])
        assert np.abs(moved - true).max() <= most + 1e-4
        assert np.abs(moved - true).max() > most / 2
    assert len({(dot.x, dot.y) for dot in dots}) > 0.95 * len(dots)


@pytest.mark.parametrize(("draws", "step"), [(10, 0.01), (50, 0.008), (200, 0.002)])
def test_values_of_vro_stay_apart(draws: int, step: float) -> None:
    assert jitter(draws) == pytest.approx(step)
    assert jitter(draws) < 0.5 / draws


def test_no_dot_crosses_a_border(tmp_path: Path) -> None:
    # Every value lies on a threshold, or within the reach of the jitter beside it.
    limits = Thresholds(0.05, 0.9, 0.1, 0.97)
    found = Mapped(thresholds=limits).found(tmp_path / "a")
    groups = list(found.groups.values())
    for dot in sample(found):
        assert dot.x is not None
        assert dot.y is not None
        true = limits.patterns(*(groups[dot.group].figures[metric][[dot.row]] for metric in ("pcs", "vro")))
        assert limits.patterns(np.array([dot.x]), np.array([dot.y])) == true


def test_what_is_no_number_is_drawn_nowhere(found: UncertaintyMap) -> None:
    found.groups["benign"].figures["pcs"][0] = np.nan
    (dot,) = [dot for dot in sample(found) if (dot.group, dot.row) == (0, 0)]
    assert dot.x is None
    assert dot.y is not None
