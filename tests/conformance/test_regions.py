"""What is asked of every region."""

import json

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe
from unnerve.core.methods import Normed, Space
from unnerve.core.streams import Streams
from unnerve.testing.texts import texts

IDS = [f"image {number}" for number in range(5)]
REGIONS = [build("region", text) for text in texts("region")]
BALLS = [region for region in REGIONS if isinstance(region, Normed)]


@pytest.fixture(params=texts("region"))
def region(request: pytest.FixtureRequest) -> Space:
    method: Space = build("region", request.param)
    return method


@pytest.fixture(params=[(1, 6, 6), (3, 5, 4), (12,)], ids=["grey", "colour", "sound"])
def centre(request: pytest.FixtureRequest) -> Tensor:
    return Streams(3, IDS).uniform(0, 0, request.param)


@pytest.fixture
def far(centre: Tensor) -> Tensor:
    return Streams(4, IDS).normal(0, 0, tuple(centre.shape[1:])).mul_(3)


def test_project_returns_its_argument_and_lands_inside(region: Space, centre: Tensor, far: Tensor) -> None:
    assert not region.contains(far, centre).any()
    assert region.project(far, centre) is far
    assert bool(region.contains(far, centre).all())
    assert bool((far != centre).any())


def test_rows_do_not_know_each_other(region: Space, centre: Tensor, far: Tensor) -> None:
    alone = [region.project(far[row : row + 1].clone(), centre[row : row + 1]) for row in range(5)]
    mixed = torch.cat([far[:2], centre[2:]])
    assert region.contains(mixed, centre).tolist() == [False, False, True, True, True]
    assert torch.equal(torch.cat(alone), region.project(far, centre))


def test_samples_are_inside_and_differ_from_the_seed(region: Space, centre: Tensor) -> None:
    samples = region.samples(centre, Streams(0, IDS), 0, 4)
    assert samples.shape == (5, 4, *centre.shape[1:])
    for sample in samples.unbind(dim=1):
        assert bool(region.contains(sample, centre).all())
        assert bool((sample != centre).flatten(1).any(dim=1).all())
    assert len(samples.flatten(0, 1).unique(dim=0)) == 20


@pytest.mark.parametrize("count", [1, 3])
def test_samples_are_the_same_alone_and_in_company(region: Space, centre: Tensor, count: int) -> None:
    together = region.samples(centre, Streams(0, IDS), 2, count)
    for row, name in enumerate(IDS):
        alone = region.samples(centre[row : row + 1], Streams(0, [name]), 2, count)
        assert torch.equal(alone[0], together[row])
    assert not torch.equal(region.samples(centre, Streams(0, IDS), 3, count), together)


def test_projects_populations_like_their_members(region: Space, centre: Tensor) -> None:
    x = Streams(4, IDS).normal(0, 1, (3, *centre.shape[1:])).mul_(3)
    members = [region.project(member.clone(), centre) for member in x.unbind(dim=1)]
    assert region.project(x, centre) is x
    assert torch.equal(x, torch.stack(members, dim=1))


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: type(ball).__name__)
def test_a_ball_says_how_far_it_reaches_and_where_it_is_steepest(ball: Normed, centre: Tensor, far: Tensor) -> None:
    assert ball.reach == 0.1
    step = ball.steepest(far)
    assert step.shape == far.shape
    inner = torch.full_like(centre, 0.5)
    assert bool(ball.contains(inner + ball.reach * step, inner).all()), "a step of length one reaches the rim"
    assert not ball.contains(inner + 1.01 * ball.reach * step, inner).any()
    assert bool(((step * far).flatten(1).sum(dim=1) > 0).all())


def test_the_seed_is_left_alone(region: Space, centre: Tensor, far: Tensor) -> None:
    before = centre.clone()
    region.project(far, centre)
    region.contains(far, centre)
    region.samples(centre, Streams(0, IDS), 0, 1).fill_(0.5)
    assert torch.equal(centre, before)


@pytest.mark.usefixtures("random_state_stays")
def test_the_global_random_state_is_left_alone(region: Space, centre: Tensor, far: Tensor) -> None:
    region.project(far, centre)
    region.samples(centre, Streams(0, IDS), 0, 1)


def test_survives_json(region: Space) -> None:
    assert build("region", json.loads(json.dumps(describe(region)))) == region
