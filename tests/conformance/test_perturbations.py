"""What is asked of every perturbation."""

import json

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe, names
from unnerve.core.methods import Perturbation
from unnerve.core.streams import Streams

IDS = [f"image {number}" for number in range(5)]


@pytest.fixture(params=names("perturbation"))
def perturbation(request: pytest.FixtureRequest) -> Perturbation:
    method: Perturbation = build("perturbation", request.param)
    return method


@pytest.fixture(params=[(1, 8, 8), (3, 9, 7)], ids=["grey", "colour"])
def images(request: pytest.FixtureRequest) -> Tensor:
    return Streams(3, IDS).uniform(0, 0, request.param)


def copies(perturbation: Perturbation, images: Tensor, rows: list[int], count: int, step: int = 0) -> Tensor:
    streams = Streams(0, [IDS[row] for row in rows])
    return perturbation.apply(images[rows], perturbation.draw(streams, step, count, tuple(images.shape[1:])))


def test_parameters_lie_in_the_unit_cube(perturbation: Perturbation, images: Tensor) -> None:
    parameters = perturbation.draw(Streams(0, IDS), 0, 400, tuple(images.shape[1:]))
    assert parameters.shape[:2] == (5, 400)
    assert bool(((parameters >= 0) & (parameters < 1)).all())


def test_copies_have_the_shape_of_their_inputs(perturbation: Perturbation, images: Tensor) -> None:
    made = copies(perturbation, images, [0, 1, 2, 3, 4], 6)
    assert made.shape == (5, 6, *images.shape[1:])
    assert made.dtype == images.dtype


def test_copies_are_changed_and_valid(perturbation: Perturbation, images: Tensor) -> None:
    made = copies(perturbation, images, [0, 1, 2, 3, 4], 40)
    assert bool(((made >= 0) & (made <= 1)).all())
    assert bool((made != images.unsqueeze(1)).flatten(2).any(dim=2).float().mean() > 0.9)


@pytest.mark.parametrize("count", [1, 6])
def test_the_same_alone_and_in_company(perturbation: Perturbation, images: Tensor, count: int) -> None:
    together = copies(perturbation, images, [0, 1, 2, 3, 4], count)
    for row in range(5):
        assert torch.equal(copies(perturbation, images, [row], count)[0], together[row])
    assert torch.equal(copies(perturbation, images, [3, 1], count), together[[3, 1]])


def test_steps_differ(perturbation: Perturbation, images: Tensor) -> None:
    assert not torch.equal(copies(perturbation, images, [0], 5), copies(perturbation, images, [0], 5, step=1))


@pytest.mark.parametrize("count", [1, 3])
def test_inputs_and_parameters_are_left_alone(perturbation: Perturbation, images: Tensor, count: int) -> None:
    parameters = perturbation.draw(Streams(0, IDS), 0, count, tuple(images.shape[1:]))
    before = images.clone(), parameters.clone()
    perturbation.apply(images, parameters).zero_()
    assert torch.equal(images, before[0])
    assert torch.equal(parameters, before[1])


@pytest.mark.parametrize("corner", [0.0, 1 - 2**-24])
def test_the_corners_of_the_cube_work(perturbation: Perturbation, images: Tensor, corner: float) -> None:
    parameters = torch.full_like(perturbation.draw(Streams(0, IDS), 0, 2, tuple(images.shape[1:])), corner)
    made = perturbation.apply(images, parameters)
    assert bool(((made >= 0) & (made <= 1)).all())


@pytest.mark.usefixtures("random_state_stays")
def test_the_global_random_state_is_left_alone(perturbation: Perturbation, images: Tensor) -> None:
    copies(perturbation, images, [0, 1], 3)


def test_survives_json(perturbation: Perturbation) -> None:
    assert build("perturbation", json.loads(json.dumps(describe(perturbation)))) == perturbation
