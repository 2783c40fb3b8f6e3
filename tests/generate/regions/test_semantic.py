import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Lineal
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.brightness import Brightness
from unnerve.generate.regions.semantic import Semantic

REGION = Semantic(Brightness(), severity=3)
SEED = torch.full((1, 1, 4, 4), 0.5)


def test_the_bounds_are_on_the_strength() -> None:
    permitted = REGION.permits(torch.tensor([[0.6, 1.0], [0.61, 0.5], [0.2, 1.1], [-0.1, 0.5]]))
    assert permitted.tolist() == [True, False, False, False]
    assert isinstance(REGION, Lineal)


def test_it_measures_from_what_the_change_made() -> None:
    lighter = REGION.origins(SEED, torch.tensor([[0.6, 0.9]]))
    assert torch.allclose(lighter, torch.full_like(SEED, 0.65), atol=1e-6)
    assert bool(REGION.contains(lighter + 0.9 / 255, lighter)[0]), "rounding to 8 bits"
    assert not bool(REGION.contains(lighter + 1.1 / 255, lighter)[0])
    assert not bool(REGION.contains(lighter, SEED)[0])


def test_values_of_another_range_change_by_the_same_share() -> None:
    bytes_wide = Semantic(Brightness(), severity=3, low=0, high=255)
    assert torch.allclose(
        bytes_wide.origins(SEED * 255, torch.tensor([[0.6, 0.9]])), SEED * 255 + 0.15 * 255, atol=1e-3
    )


def test_drawn_parameters_are_permitted() -> None:
    drawn = REGION.parameters(Streams(0, ["a", "b"]), 0, 50, (1, 4, 4))
    assert drawn.shape == (2, 50, 2)
    assert bool(REGION.permits(drawn.flatten(0, 1)).all())
    assert float(drawn[..., 0].amax()) > 0.5


@pytest.mark.parametrize("severity", [0, 6])
def test_refuses_strange_severities(severity: float) -> None:
    with pytest.raises(InvalidSetting, match=rf"^severity must be in \(0, 5\], got {severity}$"):
        Semantic(Brightness(), severity=severity)


@pytest.mark.parametrize(("low", "high", "off"), [(0, 255, 2.55e-4), (1000, 1001, 1e-3)])
def test_rounding_is_allowed_as_far_as_values_are_large(low: float, high: float, off: float) -> None:
    region = Semantic(Brightness(), severity=3, slack=0.1, low=low, high=high)
    made = torch.full((1, 1, 4, 4), low + 0.5)
    inside = [bool(region.contains(made + 0.1 * (high - low) + share * off, made)) for share in (0.8, 1.2)]
    assert inside == [True, False]


def test_a_wider_region_has_changes_twice_as_severe() -> None:
    shape = (1, 4, 4)
    assert Semantic(Brightness(), severity=2).facts(shape).wider == "semantic:change=brightness,severity=4"
    assert Semantic(Brightness(), severity=3).facts(shape).wider == "semantic:change=brightness"
    assert Semantic().facts(shape).wider is None, "there is nothing beyond severity 5"
