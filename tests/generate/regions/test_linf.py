import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.regions.linf import Linf

CENTRE = torch.tensor([[0.5, 0.05, 0.95, 0.5]])


def test_project_by_hand() -> None:
    x = torch.tensor([[0.9, -0.5, 2.0, 0.55]])
    assert Linf(0.1).project(x, CENTRE).tolist()[0] == pytest.approx([0.6, 0.0, 1.0, 0.55])


def test_projects_in_place() -> None:
    x = torch.tensor([[0.9, -0.5, 2.0, 0.55]])
    assert Linf(0.1).project(x, CENTRE) is x


def test_another_valid_range() -> None:
    x = torch.tensor([[-3.0, 3.0]])
    assert Linf(0.5, low=-1, high=1).project(x, torch.tensor([[-0.8, 0.0]])).tolist() == [[-1.0, 0.5]]


def test_contains_by_hand() -> None:
    region = Linf(0.1)
    x = CENTRE.repeat(6, 1)
    x[1, 0] = 0.6
    x[2, 0] = 0.6 + 5e-7
    x[3, 0] = 0.601
    x[4, 1] = -0.01
    x[5, 2] = 1.01
    assert region.contains(x, CENTRE.expand(6, 4)).tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_inside(wrong: float) -> None:
    x = CENTRE.clone()
    x[0, 3] = wrong
    assert Linf(0.1).contains(x, CENTRE).tolist() == [False]


def test_samples_fill_the_cube() -> None:
    centre = torch.full((2000, 2), 0.5)
    offset = Linf(0.2).samples(centre, Streams(0, map(str, range(2000))), 0, 1).squeeze(1) - 0.5
    assert offset.abs().amax().item() == pytest.approx(0.2, abs=1e-3)
    assert offset.mean(dim=0).tolist() == pytest.approx([0, 0], abs=0.01)
    assert offset.var(dim=0).tolist() == pytest.approx([0.4**2 / 12] * 2, rel=0.1)


def test_several_samples_of_a_seed_fill_the_cube_too() -> None:
    offset = Linf(0.2).samples(torch.full((1, 2), 0.5), Streams(0, "a"), 0, 2000)[0] - 0.5
    assert offset.shape == (2000, 2)
    assert offset.var(dim=0).tolist() == pytest.approx([0.4**2 / 12] * 2, rel=0.1)


def test_projects_populations_in_place() -> None:
    centre, x = torch.rand(2, 3, 2, 5), torch.rand(2, 4, 3, 2, 5)
    one_by_one = torch.stack([Linf(0.3).project(x[:, place].clone(), centre) for place in range(4)], dim=1)
    assert Linf(0.3).project(x, centre) is x
    assert torch.equal(x, one_by_one)


def test_the_steepest_step_goes_to_a_corner() -> None:
    assert Linf(0.3).steepest(torch.tensor([[3.0, -0.1, 0.0]])).tolist() == [[1, -1, 0]]
    assert Linf(0.3).reach == 0.3


@pytest.mark.parametrize("radius", [0, -0.1, float("nan"), float("inf")])
def test_refuses_strange_radii(radius: float) -> None:
    with pytest.raises(InvalidSetting, match=f"^radius must be > 0 and finite, got {radius}$"):
        Linf(radius)


def test_refuses_an_empty_range() -> None:
    with pytest.raises(InvalidSetting, match=r"^low must be < high, got 1 and 1$"):
        Linf(0.1, low=1, high=1)


def test_facts_in_words_and_in_its_own_norm() -> None:
    facts = Linf(0.2).facts((1, 28, 28))
    assert (facts.text, facts.norm, facts.size, facts.value_range) == ("linf:0.2", "linf", 0.2, (0, 1))
    assert facts.described == {"name": "linf", "radius": 0.2, "low": 0.0, "high": 1.0}


def test_facts_know_the_largest_change_that_fits() -> None:
    assert Linf(0.2).facts((1, 28, 28)).reach == pytest.approx(0.2 * 28)


def test_facts_state_a_smaller_radius_only_if_the_region_is_larger() -> None:
    assert Linf(8 / 255).facts((1, 28, 28)).strict is None
    assert Linf(0.1).facts((1, 28, 28)).strict == pytest.approx((8 / 255, 8 / 255), rel=1e-4)


def test_facts_name_a_region_of_twice_the_radius() -> None:
    assert [Linf(radius).facts((1, 28, 28)).wider for radius in (0.1, 0.6)] == ["linf:0.2", "linf:1"]


def test_limits_of_each_value_by_hand() -> None:
    least, most = Linf(0.25).limits(torch.tensor([[0.0, 0.5, 1.0]]))
    assert least.tolist() == [[0, 0.25, 0.75]]
    assert most.tolist() == [[0.25, 0.75, 1]]


def test_a_thousandth_of_a_grey_level_too_far_is_rounding() -> None:
    space, centre = Linf(8, 0, 255), torch.full((1, 1), 100.0)
    inside = [bool(space.contains(centre + change, centre)) for change in (8.0001, 8.001, -8.0001)]
    assert inside == [True, False, True]


def test_facts_in_another_range() -> None:
    facts = Linf(16, 0, 255).facts((3, 32, 32))
    assert facts.strict == pytest.approx((8, 8), rel=1e-4)
    assert facts.phrase == "within ±{size} per {unit} (of values from 0 to 255)"
    assert facts.text == "linf:16,high=255"


def test_refuses_an_endless_range() -> None:
    with pytest.raises(InvalidSetting, match=r"^low and high must be finite, got 0.0 and inf$"):
        Linf(0.1, high=float("inf"))
