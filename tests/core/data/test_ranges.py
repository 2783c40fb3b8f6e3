from dataclasses import dataclass

import pytest

from unnerve.core.data.ranges import UNIT, bounds, checked_range, following, rounding, span
from unnerve.core.errors import InvalidSetting
from unnerve.generate.guided._cube import Cube
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.lineage import Lineage
from unnerve.generate.regions.linf import Linf


def test_a_region_with_the_usual_bounds_follows_the_data() -> None:
    assert following(Linf(8), (0, 255)) == Linf(8, 0, 255)
    assert following(L2(1.5), (-1, 1)) == L2(1.5, -1, 1)
    assert following(L0(0.1), (-1, 1)) == L0(0.1, -1, 1)
    assert following(Lineage(Affine()), (-1, 1)) == Lineage(Affine(), low=-1, high=1)


def test_a_region_with_bounds_of_its_own_keeps_them() -> None:
    for region in (Linf(8, high=200), Linf(8, low=-1)):
        assert following(region, (0, 255)) is region


@dataclass(frozen=True)
class Anywhere:
    size: float = 3


def test_a_region_without_bounds_stays_as_it_is() -> None:
    region = Anywhere()
    assert following(region, (0, 255)) is region
    assert span(region) == 1
    with pytest.raises(InvalidSetting, match=r"^jsma needs a region with low and high, got anywhere$"):
        bounds(region, "jsma")


def test_how_wide_ranges_are() -> None:
    assert [span(one) for one in (Linf(1), Linf(1, -1, 1), L2(1, 0, 255), Cube())] == [1, 2, 255, 1]
    assert bounds(Linf(1, -1, 2), "jsma") == (-1, 2)


def test_what_rounding_is_relative_to() -> None:
    assert rounding(*UNIT) == 1
    assert [rounding(-1, 1), rounding(0, 255), rounding(1000, 1001), rounding(-7, -6)] == [2, 255, 1001, 7]


@pytest.mark.parametrize("given", [(1, 1), (2, 1), (0, float("nan")), (float("-inf"), 0)])
def test_refuses_what_is_no_range(given: tuple[float, float]) -> None:
    with pytest.raises(InvalidSetting, match=r"^model_range must be two numbers, low < high, got "):
        checked_range(*given, "model_range")
