"""What is asked of every region."""

import json

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe, names
from unnerve.core.methods import Space
from unnerve.core.streams import Streams

IDS = [f"image {number}" for number in range(5)]


@pytest.fixture(params=names("region"))
def region(request: pytest.FixtureRequest) -> Space:
    method: Space = build("region", f"{request.param}:0.1")
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
    assert torch.allclose(torch.cat(alone), region.project(far, centre), rtol=0, atol=1e-6)


def test_samples_are_inside_and_differ_from_the_seed(region: Space, centre: Tensor) -> None:
    sample = region.sample(centre, Streams(0, IDS), 0)
    assert sample.shape == centre.shape
    assert bool(region.contains(sample, centre).all())
    assert bool((sample != centre).flatten(1).any(dim=1).all())


def test_samples_are_the_same_alone_and_in_company(region: Space, centre: Tensor) -> None:
    together = region.sample(centre, Streams(0, IDS), 2)
    for row, name in enumerate(IDS):
        alone = region.sample(centre[row : row + 1], Streams(0, [name]), 2)
        assert torch.allclose(alone[0], together[row], rtol=0, atol=1e-6)
    assert not torch.equal(region.sample(centre, Streams(0, IDS), 3), together)


def test_the_seed_is_left_alone(region: Space, centre: Tensor, far: Tensor) -> None:
    before = centre.clone()
    region.project(far, centre)
    region.contains(far, centre)
    region.sample(centre, Streams(0, IDS), 0).fill_(0.5)
    assert torch.equal(centre, before)


@pytest.mark.usefixtures("random_state_stays")
def test_the_global_random_state_is_left_alone(region: Space, centre: Tensor, far: Tensor) -> None:
    region.project(far, centre)
    region.sample(centre, Streams(0, IDS), 0)


def test_survives_json(region: Space) -> None:
    assert build("region", json.loads(json.dumps(describe(region)))) == region
