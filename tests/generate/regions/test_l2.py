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
    offset = L2(0.2).sample(centre, Streams(0, map(str, range(4000))), 0) - 0.5
    length = offset.norm(dim=1)
    assert length.amax().item() == pytest.approx(0.2, abs=2e-3)
    assert offset.mean(dim=0).tolist() == pytest.approx([0, 0], abs=0.01)
    # Uniform in a disc: a quarter of the points lies within half the radius.
    assert (length < 0.1).float().mean().item() == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("radius", [0, -0.1, float("nan"), float("inf")])
def test_refuses_strange_radii(radius: float) -> None:
    with pytest.raises(InvalidSetting, match=f"^radius must be > 0 and finite, got {radius}$"):
        L2(radius)
