import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Lineal
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.regions.lineage import Lineage
from unnerve.generate.regions.linf import Linf

REGION = Lineage(Affine(), few=0.1, little=0.2)


def test_few_values_may_change_much_and_all_a_little() -> None:
    centre = torch.full((1, 1, 4, 5), 0.5)
    two, three, all_a_little, all_more = (centre.clone() for _ in range(4))
    two.view(-1)[:2] = 1.0  # 2 of 20 are a tenth
    three.view(-1)[:3] = 1.0
    all_a_little += 0.2
    all_more += 0.21
    inside = [bool(REGION.contains(one, centre)[0]) for one in (two, three, all_a_little, all_more)]
    assert inside == [True, False, True, False]


def test_the_rule_is_about_plain_numbers_not_about_bytes() -> None:
    centre, lower = torch.full((1, 1, 2, 2), 11 / 255), torch.full((1, 1, 2, 2), 10 / 255)
    assert bool(REGION.contains(lower, centre)[0]), "10 - 11 is one level, not 255"


def test_it_measures_from_what_the_transform_made() -> None:
    seed = torch.rand(1, 1, 9, 9, generator=torch.Generator().manual_seed(1))
    turned = REGION.origins(seed, torch.tensor([[1.0, 0.5, 0.5, 0.5, 0.5]]))
    assert not bool(REGION.contains(turned, seed)[0])
    assert bool(REGION.contains(turned, turned)[0])
    assert isinstance(REGION, Lineal)
    assert not isinstance(Linf(0.1), Lineal)


def test_parameters_have_bounds() -> None:
    assert REGION.permits(torch.tensor([[0.0, 1.0], [0.5, 1.01], [-0.01, 0.5]])).tolist() == [True, False, False]


def test_refuses_strange_shares() -> None:
    with pytest.raises(InvalidSetting, match=r"^few must be in \[0, 1\], got 2$"):
        Lineage(Affine(), few=2)


@pytest.mark.parametrize(("low", "high", "off"), [(0, 255, 2.55e-4), (1000, 1001, 1e-3)])
def test_rounding_is_allowed_as_far_as_values_are_large(low: float, high: float, off: float) -> None:
    centre, little = torch.full((1, 1, 2, 2), low + 0.25), 0.2 * (high - low)
    none_changed = Lineage(Affine(), few=0, little=0.2, low=low, high=high)
    inside = [bool(none_changed.contains(centre + little + share * off, centre)) for share in (0.8, 1.2)]
    assert inside == [True, False]


@pytest.mark.parametrize(("low", "high", "off"), [(0, 255, 2.55e-4), (1000, 1001, 1e-3)])
def test_what_is_only_rounded_is_not_changed(low: float, high: float, off: float) -> None:
    centre = torch.full((1, 1, 2, 2), low + 0.25)
    one_changed = Lineage(Affine(), few=0.25, little=0, low=low, high=high)
    inside = []
    for share in (0.8, 1.2):
        x = centre + share * off
        x[0, 0, 0, 0] += 0.5
        inside.append(bool(one_changed.contains(x, centre)))
    assert inside == [True, False]
