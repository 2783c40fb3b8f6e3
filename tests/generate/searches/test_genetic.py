from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Search
from unnerve.core.streams import Streams
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.genetic import Genetic
from unnerve.generate.searches.random import Random

IDS = ["a", "b", "c"]
ALL = torch.ones(3, dtype=torch.bool)
WIDE = Linf(2.0, low=-9, high=9)


def generations(search: Genetic, shape: tuple[int, ...] = (6,)) -> list[tuple[Tensor, Tensor]]:
    """Return the populations with their fitness: the mean of all values."""
    points = search.points(WIDE, torch.zeros(3, *shape), Streams(5, IDS))
    x: Tensor | None = next(points)
    seen = []
    while x is not None:
        fitness = x.flatten(2).mean(dim=2)
        seen.append((x.clone(), fitness))
        try:
            x = points.send((fitness, ALL))
        except StopIteration:
            x = None
    return seen


def test_the_first_generation_is_drawn_from_the_region() -> None:
    ((first, _),) = generations(Genetic(population=8, iterations=1))
    assert torch.equal(first, WIDE.samples(torch.zeros(3, 6), Streams(5, IDS), 0, 8))


def test_the_best_survives_unchanged() -> None:
    seen = generations(Genetic(population=8, iterations=10, mutation=0.5))
    assert len(seen) == 10
    for (before, fitness), (after, _) in pairwise(seen):
        assert torch.equal(after[:, 0], before[torch.arange(3), fitness.argmax(dim=1)])
    records = torch.stack([fitness.amax(dim=1) for _, fitness in seen])
    assert bool((records.diff(dim=0) >= 0).all())


def test_children_by_hand() -> None:
    search = Genetic(population=5, iterations=2, mutation=0, tournament=2, crossover=0.3)
    (before, fitness), (after, _) = generations(search, (2, 3))
    for seed in range(3):
        streams = Streams(5, IDS[seed])
        rivals = [(streams.coarse(1, draw, (5, 2))[0] * 5).long().tolist() for draw in (0, 1)]
        chance = streams.coarse(1, 2, (5, 1, 3))[0, :, 0].tolist()
        for child in range(1, 5):
            mother, father = (max(pair[child], key=lambda one: float(fitness[seed, one])) for pair in rivals)
            for pixel in range(3):
                parent = father if chance[child][pixel] < 0.3 else mother
                assert torch.equal(after[seed, child, :, pixel], before[seed, parent, :, pixel])


@pytest.mark.parametrize(("crossover", "parents"), [(0.0, 1), (1.0, 1), (0.5, 2)])
def test_a_pixel_has_one_parent_and_a_child_two(crossover: float, parents: int) -> None:
    search = Genetic(population=30, iterations=2, mutation=0, crossover=crossover)
    (before, _), (after, _) = generations(search, (3, 4, 5))
    # (child, member) -> which pixels they share in all channels.
    same = (after[0].unsqueeze(1) == before[0].unsqueeze(0)).all(dim=2).flatten(2)
    assert bool(same.any(dim=1).all())
    assert int(same.any(dim=2).sum(dim=1).amax()) == parents


def test_large_tournaments_are_won_by_the_best() -> None:
    (before, fitness), (after, _) = generations(Genetic(population=4, iterations=2, mutation=0, tournament=200))
    best = before[torch.arange(3), fitness.argmax(dim=1)].unsqueeze(1)
    assert torch.equal(after, best.expand_as(after))


def test_a_tournament_of_one_is_a_lottery() -> None:
    (before, _), (after, _) = generations(Genetic(population=300, iterations=2, mutation=0, tournament=1, crossover=0))
    chosen = (after[0, 1:].unsqueeze(1) == before[0]).all(dim=2).float().argmax(dim=1)
    assert chosen.float().mean().item() == pytest.approx(149.5, abs=20)


@pytest.mark.parametrize(("rate", "size"), [(0.005, 0.1), (0.2, 0.5), (1.0, 0.05)])
def test_mutations_have_their_rate_and_size(rate: float, size: float) -> None:
    search = Genetic(population=200, mutation=rate, mutation_size=size)
    change = search._mutated(torch.zeros(3, 200, 300), Streams(0, IDS), 1, 1.0)
    assert (change != 0).float().mean().item() == pytest.approx(rate, rel=0.1)
    struck = change[change != 0]
    assert struck.mean().item() == pytest.approx(0, abs=0.1 * size)
    assert struck.std().item() == pytest.approx(size, rel=0.05)
    assert struck.abs().amax().item() < 6 * size


@pytest.mark.parametrize("rate", [2e-6, 1e-5, 2.5 / 2**16, 0.0009])
def test_rare_mutations_have_their_rate_and_size_too(rate: float) -> None:
    search = Genetic(population=2000, mutation=rate, mutation_size=0.5)
    rounds = [search._mutated(torch.zeros(3, 2000, 1000), Streams(0, IDS), number, 1.0) for number in range(1, 6)]
    struck = torch.cat([change[change != 0] for change in rounds])
    expected = rate * 5 * 6_000_000
    assert abs(len(struck) - expected) < 4 * expected**0.5
    assert abs(struck.mean().item()) < 4 * 0.5 / len(struck) ** 0.5
    assert struck.std().item() == pytest.approx(0.5, rel=4 / (2 * len(struck)) ** 0.5)
    assert len(struck.unique()) > 0.99 * len(struck), "sizes are drawn, not taken from a few"


def test_mutations_of_an_input_do_not_depend_on_its_company() -> None:
    search = Genetic(population=50, mutation=0.01)
    together = search._mutated(torch.zeros(3, 50, 40), Streams(0, IDS), 2, 1.0)
    alone = [search._mutated(torch.zeros(1, 50, 40), Streams(0, [name]), 2, 1.0) for name in IDS]
    assert torch.equal(together, torch.cat(alone))


def test_is_clearly_better_than_random_search(climb: Callable[[Search], list[float]]) -> None:
    heights = climb(Genetic(population=20, iterations=20, mutation=0.1))
    assert heights[-1] > climb(Random(population=20, iterations=20))[-1] / 5
    assert heights[0] < heights[5] < heights[10] < heights[19]


def test_the_papers_settings_are_better_than_random_search_too(climb: Callable[[Search], list[float]]) -> None:
    assert climb(Genetic(population=20, iterations=20))[-1] > climb(Random(population=20, iterations=20))[-1] / 1.5


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"population": 1}, "population must be >= 2, got 1"),
        ({"iterations": 0}, "iterations must be >= 1, got 0"),
        ({"tournament": 0}, "tournament must be >= 1, got 0"),
        ({"crossover": 1.1}, "crossover must be in [0, 1], got 1.1"),
        ({"mutation": -0.1}, "mutation must be in [0, 1], got -0.1"),
        ({"mutation_size": 0.0}, "mutation_size must be > 0, got 0.0"),
    ],
)
def test_refuses_strange_settings(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        Genetic(**wrong)
    assert str(error.value) == words


def test_width() -> None:
    assert Genetic(population=7).width == 7
