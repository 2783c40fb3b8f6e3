from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Search
from unnerve.core.streams import Streams
from unnerve.generate.searches.differential_evolution import DifferentialEvolution
from unnerve.generate.searches.random import Random

IDS = ["a", "b"]
ALL = torch.ones(2, dtype=torch.bool)


@dataclass(frozen=True)
class Corners:
    """A space whose first points are the unit vectors, so that one sees of what a later point is made."""

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        return x

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        return torch.ones(len(x), dtype=torch.bool)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        return torch.eye(count).expand(len(centre), count, count).clone()


def begun(search: DifferentialEvolution) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
    return search.points(Corners(), torch.zeros(2, search.population), Streams(3, IDS))


@pytest.mark.parametrize("population", [4, 5, 12])
@pytest.mark.parametrize("scale", [0.5, 0.75])
def test_challengers_are_made_of_three_others_all_distinct(population: int, scale: float) -> None:
    points = begun(DifferentialEvolution(population, scale=scale))
    next(points)
    for _ in range(20):  # nothing is ever good enough, so the population stays the unit vectors
        trial = points.send((torch.full((2, population), float("-inf")), ALL))
        for seed in range(2):
            for place in range(population):
                values = trial[seed, place].tolist()
                assert sorted(values) == sorted([1.0, scale, -scale] + [0.0] * (population - 3))
                assert values[place] == 0, "the point itself is not one of the three"


def test_every_other_is_chosen_equally_often() -> None:
    points = begun(DifferentialEvolution(6))
    next(points)
    worst = torch.full((2, 6), float("-inf"))
    trials = torch.cat([points.send((worst, ALL)) for _ in range(99)])
    for value in (1.0, 0.5, -0.5):
        shares = (trials == value).float().mean(dim=0)
        assert shares.diagonal().tolist() == [0] * 6
        assert shares[~torch.eye(6, dtype=torch.bool)].tolist() == pytest.approx([0.2] * 30, abs=0.12)


def by_hand(search: DifferentialEvolution, name: str, goal: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """Do the same, one point after the other; return what is shown."""
    size, streams = search.population, Streams(3, [name])
    population = list(torch.eye(size))
    fitness = [float(goal(point)) for point in population]
    shown = [torch.stack(population)]
    for generation in range(1, search.iterations):
        shifts = streams.coarse(generation, 0, (size, size - 1))[0].topk(3, dim=1).indices + 1
        taken = streams.coarse(generation, 1, (size, size))[0] < search.crossover
        always = (streams.uniform(generation, 2, (size, 1))[0, :, 0].double() * size).long()
        trials = []
        for place in range(size):
            one, two, three = (population[(place + int(shift)) % size] for shift in shifts[place])
            trial = one + search.scale * (two - three)
            mine = taken[place] | (torch.arange(size) == always[place]) | (search.crossover == 1)
            trials.append(torch.where(mine, trial, population[place]))
        for place, trial in enumerate(trials):
            if float(goal(trial)) > fitness[place]:
                population[place], fitness[place] = trial, float(goal(trial))
        shown.append(torch.stack(trials))
    return shown


def goal(x: Tensor) -> Tensor:
    return -(x - 0.3).abs().amax(dim=-1)


@pytest.mark.parametrize("crossover", [1.0, 0.4])
def test_equals_the_algorithm_written_out(crossover: float) -> None:
    search = DifferentialEvolution(population=6, iterations=8, scale=0.7, crossover=crossover)
    expected = [by_hand(search, name, goal) for name in IDS]
    points = begun(search)
    x = next(points)
    for step in range(8):
        assert torch.allclose(x, torch.stack([shown[step] for shown in expected]), rtol=0, atol=1e-6)
        if step < 7:
            x = points.send((goal(x), ALL))


def test_never_replaces_a_better_point_by_a_worse_one() -> None:
    points = begun(DifferentialEvolution(population=5))
    next(points)
    points.send((torch.full((2, 5), 1.0), ALL))
    for worse in (0.5, 1.0, float("nan")):  # an equal challenger does not win either
        trial = points.send((torch.full((2, 5), worse), ALL))
        assert bool(((trial == 1).sum(dim=2) == 1).all()), "still made of the first population"
    better = points.send((torch.full((2, 5), 1.5), ALL))
    assert not bool(((better == 1).sum(dim=2) == 1).all())


def test_coordinates_come_from_the_challenger_as_often_as_said() -> None:
    search = DifferentialEvolution(population=200, crossover=0.3)
    x = torch.rand(1, 200, 50)
    same = search._challengers(x, Streams(0, "a"), 1) == x
    assert same.float().mean().item() == pytest.approx(0.7, abs=0.02)
    whole = DifferentialEvolution(population=200)._challengers(x, Streams(0, "a"), 1) == x
    assert not whole.any()


def test_one_coordinate_always_comes_from_the_challenger() -> None:
    search = DifferentialEvolution(population=500, crossover=1e-4)
    x = torch.rand(2, 500, 2, 3)
    changed = search._challengers(x, Streams(0, IDS), 1) != x
    assert changed.flatten(2).sum(dim=2).tolist() == [[1] * 500] * 2, "never none, and hardly ever two"
    assert changed.flatten(2).float().mean(dim=(0, 1)).tolist() == pytest.approx([1 / 6] * 6, abs=0.05)


def test_is_clearly_better_than_random_search(climb: Callable[[Search], list[float]]) -> None:
    random = climb(Random(population=20, iterations=20))[-1]
    for crossover, factor in ((1.0, 2), (0.9, 4)):
        heights = climb(DifferentialEvolution(population=20, iterations=20, crossover=crossover))
        assert heights[-1] > random / factor
        assert heights[0] < heights[5] < heights[10] < heights[19]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"population": 3}, "population must be >= 4, got 3"),
        ({"iterations": 0}, "iterations must be >= 1, got 0"),
        ({"scale": 0.0}, "scale must be > 0, got 0.0"),
        ({"crossover": 0.0}, "crossover must be in (0, 1], got 0.0"),
        ({"crossover": 1.5}, "crossover must be in (0, 1], got 1.5"),
    ],
)
def test_refuses_strange_settings(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        DifferentialEvolution(**wrong)
    assert str(error.value) == words


def test_width() -> None:
    assert DifferentialEvolution(population=7).width == 7
