from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.searches.ant_colony import AntColony
from unnerve.generate.searches.random import Random

ALL = torch.ones(1, dtype=torch.bool)


@dataclass(frozen=True)
class Line:
    """The interval [-1, 1] in every coordinate; the first places are 0.0, 0.1, 0.2 ... in all of them."""

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        return x.clamp_(-1, 1)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        return (x.abs() <= 1).flatten(1).all(dim=1)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        places = torch.arange(count, dtype=torch.float32).div(10)
        return places.view(1, count, 1).repeat(len(centre), 1, centre.shape[1])


def test_ants_walk_around_the_best_place_as_far_as_the_others_are_from_it() -> None:
    # Three places 0, 0.1, 0.2; with such locality only the best one, 0.1, guides. The others lie 0.1 from it, so that
    # an ant walks 0.85 * (0.1 + 0.1) / 2 = 0.085 times a normal number.
    search, streams = AntColony(ants=3, iterations=2, locality=1e-3), Streams(5, ["a"])
    points = search.points(Line(), torch.zeros(1, 4), streams)
    assert next(points)[0, :, 0].tolist() == pytest.approx([0, 0.1, 0.2])
    walked = points.send((torch.tensor([[1.0, 2.0, 0.0]]), ALL))
    assert torch.allclose(walked, 0.1 + 0.085 * streams.normal(1, 1, (3, 4)), atol=1e-6)


def test_the_archive_keeps_the_best_of_all_iterations() -> None:
    search = AntColony(ants=2, iterations=5, locality=1e-3, evaporation=1e-9)
    points = search.points(Line(), torch.zeros(1, 1), Streams(5, ["a"]))
    next(points)
    second = points.send((torch.tensor([[3.0, 1.0]]), ALL))
    assert second.flatten().tolist() == pytest.approx([0, 0], abs=1e-6)
    third = points.send((torch.tensor([[2.0, 2.0]]), ALL))
    assert third.flatten().tolist() == pytest.approx([0, 0], abs=1e-6), "the first of the archive still leads"


def best(search: AntColony | Random, steps: int = 30) -> float:
    points, found = search.points(Line(), torch.zeros(1, 3), Streams(1, ["a"])), -1e9
    places = next(points)
    for _ in range(steps - 1):
        values = -(places - 0.73).square().sum(dim=2)
        found = max(found, float(values.max()))
        places = points.send((values, ALL))
    return found


def test_it_closes_in_on_the_optimum() -> None:
    assert best(AntColony(ants=10, iterations=30)) > -1e-3, "the nearest first place has -0.0027"


def test_it_ends_after_its_iterations() -> None:
    points = AntColony(ants=2, iterations=1).points(Line(), torch.zeros(1, 1), Streams(0, ["a"]))
    next(points)
    with pytest.raises(StopIteration):
        points.send((torch.zeros(1, 2), ALL))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ants": 1}, "ants must be >= 2, got 1"),
        ({"iterations": 0}, "iterations must be >= 1, got 0"),
        ({"locality": 0.0}, "locality must be > 0, got 0.0"),
        ({"evaporation": -1.0}, "evaporation must be > 0, got -1.0"),
    ],
)
def test_settings_are_checked(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        AntColony(**settings)  # type: ignore[arg-type]
