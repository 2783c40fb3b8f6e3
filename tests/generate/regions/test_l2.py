import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.regions.l2 import L2

CENTRE = torch.full((1, 1, 1, 2), 0.5)


def test_project_by_hand() -> None:
    # A change of (0.3, 0.4) is 0.5 long: half of it is left.
    x = CENTRE + torch.tensor([0.3, 0.4])
    assert L2(0.25).project(x, CENTRE).flatten().tolist() == pytest.approx([0.65, 0.7])


def test_short_changes_stay() -> None:
    x = CENTRE + torch.tensor([0.03, 0.04])
    assert torch.allclose(L2(0.25).project(x.clone(), CENTRE), x, atol=1e-7)


def test_the_valid_range_binds_first() -> None:
    x = torch.tensor([[9.0, 0.5]])
    assert L2(0.4).project(x, torch.tensor([[0.8, 0.5]])).tolist()[0] == pytest.approx([1.0, 0.5])


def test_projects_in_place_and_takes_the_seed_itself() -> None:
    x = CENTRE.clone()
    assert L2(0.25).project(x, CENTRE) is x
    assert torch.equal(x, CENTRE)


def test_contains_by_hand() -> None:
    change = torch.tensor([[0.15, 0.2], [0.16, 0.2], [0.0, 0.0], [0.2501, 0.0]]).view(4, 1, 1, 2)
    assert L2(0.25).contains(CENTRE + change, CENTRE.expand(4, 1, 1, 2)).tolist() == [True, False, True, False]
    outside = torch.tensor([[[[1.1, 0.5]]]])
    assert L2(0.9).contains(outside, CENTRE).tolist() == [False]
    assert L2(0.9, high=2).contains(outside, CENTRE).tolist() == [True]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_inside(wrong: float) -> None:
    assert L2(0.9).contains(CENTRE * wrong, CENTRE).tolist() == [False]


def test_samples_fill_the_ball() -> None:
    centre = torch.full((4000, 2), 0.5)
    offset = L2(0.2).samples(centre, Streams(0, map(str, range(4000))), 0, 1).squeeze(1) - 0.5
    length = offset.norm(dim=1)
    assert length.amax().item() == pytest.approx(0.2, abs=2e-3)
    assert offset.mean(dim=0).tolist() == pytest.approx([0, 0], abs=0.01)
    # Uniform in a disc: a quarter of the points lies within half the radius.
    assert (length < 0.1).float().mean().item() == pytest.approx(0.25, abs=0.03)


def test_several_samples_of_a_seed_fill_the_ball_too() -> None:
    offset = L2(0.2).samples(torch.full((1, 2), 0.5), Streams(0, "a"), 0, 4000)[0] - 0.5
    assert offset.shape == (4000, 2)
    assert (offset.norm(dim=1) < 0.1).float().mean().item() == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_samples_are_bit_for_bit_the_same_in_company(count: int) -> None:
    ids = [str(number) for number in range(60)]
    centre = Streams(1, ids).uniform(0, 0, (12,))
    together = L2(0.5).samples(centre, Streams(0, ids), 0, count)
    alone = [L2(0.5).samples(centre[row : row + 1], Streams(0, ids[row : row + 1]), 0, count) for row in range(60)]
    assert torch.equal(torch.cat(alone), together)


def test_projects_populations_in_place() -> None:
    centre, x = torch.rand(2, 3, 2, 5), torch.rand(2, 4, 3, 2, 5)
    one_by_one = torch.stack([L2(0.3).project(x[:, place].clone(), centre) for place in range(4)], dim=1)
    assert L2(0.3).project(x, centre) is x
    assert torch.equal(x, one_by_one)


def test_the_steepest_step_has_length_one() -> None:
    gradient = torch.tensor([[3.0, 4.0], [0.0, -2.0], [0.0, 0.0]]).view(3, 1, 1, 2)
    assert L2(0.3).steepest(gradient).view(3, 2).tolist() == [pytest.approx([0.6, 0.8]), [0, -1], [0, 0]]
    assert L2(0.3).reach == 0.3


@pytest.mark.parametrize("radius", [0, -0.1, float("nan"), float("inf")])
def test_refuses_strange_radii(radius: float) -> None:
    with pytest.raises(InvalidSetting, match=f"^radius must be > 0 and finite, got {radius}$"):
        L2(radius)


def test_facts_in_words_and_in_its_own_norm() -> None:
    facts = L2(1.5).facts((1, 28, 28))
    assert (facts.text, facts.norm, facts.size, facts.value_range) == ("l2:1.5", "l2", 1.5, (0, 1))


def test_facts_know_the_largest_change_that_fits_and_twice_the_radius() -> None:
    assert L2(1.5).facts((1, 28, 28)).reach == 1.5
    assert L2(3).facts((1, 28, 28)).wider == "l2:6"


def test_facts_state_a_smaller_radius_only_if_the_region_is_larger() -> None:
    assert L2(0.4).facts((1, 28, 28)).strict is None
    assert L2(0.6).facts((1, 28, 28)).strict == pytest.approx((0.5, 0.5), rel=1e-4)


def test_limits_of_each_value_by_hand() -> None:
    least, most = L2(0.25).limits(torch.tensor([[0.0, 0.5, 1.0]]))
    assert least.tolist() == [[0, 0.25, 0.75]]
    assert most.tolist() == [[0.25, 0.75, 1]]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 255), (-1, 1)])
def test_what_is_projected_is_inside_whatever_the_range(low: float, high: float) -> None:
    width = high - low
    space, centre = L2(0.5 * width, low, high), torch.rand(200, 3, 32, 32) * width + low
    x = space.project(centre + torch.randn(centre.shape) * width, centre)
    assert bool(space.contains(x, centre).all())
    farther = (centre + (x - centre) * 1.001).clamp(low, high)
    assert not bool(space.contains(farther, centre).any())
    assert space.facts((3, 32, 32)).strict is None
    assert L2(width, low, high).facts((3, 32, 32)).strict == pytest.approx((0.5 * width, 0.5 * width), rel=1e-4)


def test_a_hundred_thousandth_of_the_radius_too_far_is_rounding() -> None:
    space, centre = L2(128, 0, 255), torch.full((1, 2), 100.0)
    inside = [bool(space.contains(centre + torch.tensor([change, 0.0]), centre)) for change in (128.001, 128.002)]
    assert inside == [True, False]


@pytest.mark.parametrize(("low", "high"), [(0, 255), (1000, 1001)])
def test_many_values_are_rounded_as_far_as_they_are_large(low: float, high: float) -> None:
    # Each of 10,000 values may be off by 2^-24 of the largest: together by 100 times as much.
    off = 100 * 2**-24 * high
    space, centre = L2(0.25, low, high), torch.full((1, 1, 100, 100), low + 0.5)
    near, far = centre.clone(), centre.clone()
    near[0, 0, 0, 0] += 0.25 + 0.8 * off
    far[0, 0, 0, 0] += 0.25 + 1.2 * off
    assert [bool(space.contains(x, centre)) for x in (near, far)] == [True, False]
