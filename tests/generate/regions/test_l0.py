import math

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.regions.l0 import L0

CENTRE = torch.full((1, 3, 2, 5), 0.5)


def test_keeps_the_pixels_that_changed_most() -> None:
    x = CENTRE.clone()
    x[0, 1, 0, 0] = 0.9
    x[0, :, 1, 4] = 0.7
    x[0, 2, 1, 1] = 0.4
    projected = L0(0.2).project(x.clone(), CENTRE)
    x[0, 2, 1, 1] = 0.5
    assert torch.equal(projected, x)


def test_a_pixel_is_all_its_channels() -> None:
    x = CENTRE.clone()
    x[0, :, 0, :2] = 0.7
    assert L0(0.2).contains(x, CENTRE).tolist() == [True]
    x[0, 0, 1, 3] = 0.7
    assert L0(0.2).contains(x, CENTRE).tolist() == [False]
    assert L0(0.3).contains(x, CENTRE).tolist() == [True]


def test_without_channels_a_pixel_is_a_value() -> None:
    centre, x = torch.zeros(1, 10), torch.zeros(1, 10)
    x[0, :3] = 1
    assert L0(0.3).contains(x, centre).tolist() == [True]
    assert L0(0.2).contains(x, centre).tolist() == [False]
    assert int((L0(0.2).project(x, centre) > 0).sum()) == 2


def test_values_may_change_as_they_like_inside_the_range() -> None:
    x = CENTRE.clone()
    x[0, :, 0, 0] = torch.tensor([7.0, -7.0, 1.0])
    assert L0(0.1).project(x, CENTRE)[0, :, 0, 0].tolist() == [1, 0, 1]
    assert L0(0.1).contains(CENTRE * 3, CENTRE).tolist() == [False]


def test_projects_in_place() -> None:
    x = torch.rand(1, 3, 2, 5)
    assert L0(0.1).project(x, CENTRE) is x
    assert int((x != CENTRE).any(dim=1).sum()) == 1


@pytest.mark.parametrize(("share", "pixels"), [(0.29, 29), (0.57, 57), (0.001, 1), (0.019, 1), (1.0, 100)])
def test_how_many_pixels_a_share_is(share: float, pixels: int) -> None:
    centre = torch.zeros(1, 1, 10, 10)
    assert int((L0(share).project(torch.ones(1, 1, 10, 10), centre) > 0).sum()) == pixels


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_inside(wrong: float) -> None:
    x = CENTRE.clone()
    x[0, 0, 0, 0] = wrong
    assert L0(0.5).contains(x, CENTRE).tolist() == [False]


def test_samples_change_the_allowed_number_of_pixels() -> None:
    centre = torch.full((200, 3, 2, 5), 0.5)
    sample = L0(0.2).samples(centre, Streams(0, map(str, range(200))), 0, 1).squeeze(1)
    changed = (sample != centre).any(dim=1).flatten(1)
    assert changed.sum(dim=1).tolist() == [2] * 200
    assert bool((changed.sum(dim=0) > 15).all()), "every pixel has its turn: 40 times each on average"
    values = sample[sample != centre]
    assert 0 <= float(values.min()) < 0.05
    assert 0.95 < float(values.max()) < 1


def test_several_samples_of_a_seed_differ() -> None:
    samples = L0(0.2).samples(CENTRE, Streams(0, "a"), 0, 50)
    assert samples.shape == (1, 50, 3, 2, 5)
    assert len(samples.flatten(2)[0].unique(dim=0)) == 50
    assert bool(L0(0.2).contains(samples[0], CENTRE.expand(50, 3, 2, 5)).all())


def test_projects_populations_in_place() -> None:
    centre, x = torch.rand(2, 3, 2, 5), torch.rand(2, 4, 3, 2, 5)
    one_by_one = torch.stack([L0(0.2).project(x[:, place].clone(), centre) for place in range(4)], dim=1)
    assert L0(0.2).project(x, centre) is x
    assert torch.equal(x, one_by_one)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_refuses_strange_shares(share: float) -> None:
    with pytest.raises(InvalidSetting, match=rf"^share must be in \(0, 1\], got {share}$"):
        L0(share)


GREY, RGB, VECTOR = (1, 28, 28), (3, 10, 10), (40,)


def test_facts_in_words_and_in_its_own_norm() -> None:
    facts = L0(0.05).facts(GREY)
    assert (facts.text, facts.norm, facts.size, facts.value_range) == ("l0:0.05", "l0", 0.05, (0, 1))


def test_facts_state_a_smaller_share_only_if_the_region_is_larger() -> None:
    # 1 % of 784 pixels are 7; of ten by ten pixels, 1; a region of one pixel has none that is smaller.
    assert L0(0.05).facts(GREY).strict == (0.01, 7)
    assert L0(0.05).facts(RGB).strict == (0.01, 1)
    assert L0(0.02).facts(VECTOR).strict is None


def test_facts_know_the_largest_change_that_fits_and_twice_the_share() -> None:
    assert L0(0.05).facts(RGB).reach == pytest.approx(math.sqrt(5 * 3))
    assert [L0(share).facts(RGB).wider for share in (0.05, 0.6)] == ["l0:0.1", "l0:1"]


def test_points_are_projected_in_place_however_they_lie_in_memory() -> None:
    centre = torch.zeros(2, 1, 4, 4)
    x = torch.rand(3, 2, 1, 4, 4, generator=torch.Generator().manual_seed(0)).transpose(0, 1)
    assert L0(0.25).project(x, centre) is x
    assert (x > 0).sum(dim=(2, 3, 4)).tolist() == [[4, 4, 4], [4, 4, 4]]
