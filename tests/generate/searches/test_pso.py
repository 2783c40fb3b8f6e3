from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Search
from unnerve.core.streams import Streams
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.pso import PSO
from unnerve.generate.searches.random import Random

IDS = ["a", "b"]
CENTRE = torch.tensor([[0.5, 0.4, 0.6], [0.3, 0.7, 0.5]])
TOP = torch.tensor([0.8, 0.1, 0.65])
ALL = torch.ones(2, dtype=torch.bool)


def height(x: Tensor) -> Tensor:
    return -(x - TOP).abs().sum(dim=2)


def visited(search: PSO, space: Linf) -> list[Tensor]:
    points = search.points(space, CENTRE, Streams(7, IDS))
    places = [next(points).clone()]
    for _ in range(search.iterations - 1):
        places.append(points.send((height(places[-1]), ALL)).clone())
    with pytest.raises(StopIteration):
        points.send((height(places[-1]), ALL))
    return places


def by_hand(search: PSO, radius: float, seed: int) -> list[list[list[float]]]:
    """Equations 3 to 5, one particle and one coordinate after the other."""
    streams, centre, moves = Streams(7, IDS[seed : seed + 1]), CENTRE[seed].tolist(), search.iterations - 1
    last = moves - 1  # Gk of the equation: the inertia of the last move is that of the end

    def spread(draw: int) -> list[list[float]]:
        drawn: list[list[float]] = streams.coarse(0, draw, (search.particles, 3))[0].tolist()
        return [[(2 * number - 1) * search.start_speed for number in particle] for particle in drawn]

    def inside(place: list[float]) -> list[float]:
        return [min(max(value, c - radius, 0), c + radius, 1) for value, c in zip(place, centre, strict=True)]

    def drawn(step: int, draw: int) -> list[list[float]]:
        shape = (search.particles, 3 if search.draws == "value" else 1)
        numbers: list[list[float]] = streams.coarse(step, draw, shape)[0].expand(search.particles, 3).tolist()
        return numbers

    x = [inside([c + d for c, d in zip(centre, particle, strict=True)]) for particle in spread(0)]
    v, own, record = spread(2), [list(place) for place in x], [float("-inf")] * search.particles
    places = [x]
    for g in range(moves):
        for p, place in enumerate(x):
            value = -sum(abs(a - b) for a, b in zip(place, TOP.tolist(), strict=True))
            if value > record[p]:
                own[p], record[p] = place, value
        leader = own[record.index(max(record))]
        inertia = (search.inertia_start - search.inertia_end) * (last - g) / last + search.inertia_end
        r1, r2 = (drawn(g + 1, draw) for draw in (0, 1))
        v = [
            [
                inertia * v[p][d]
                + search.own_pull * r1[p][d] * (own[p][d] - x[p][d])
                + search.swarm_pull * r2[p][d] * (leader[d] - x[p][d])
                for d in range(3)
            ]
            for p in range(search.particles)
        ]
        v = [[min(max(speed, -search.top_speed), search.top_speed) for speed in particle] for particle in v]
        x = [inside([a + b for a, b in zip(x[p], v[p], strict=True)]) for p in range(search.particles)]
        places.append(x)
    return places


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "search",
    [
        PSO(particles=4, iterations=6, start="random"),
        PSO(3, 7, own_pull=1.5, swarm_pull=0.5, inertia_start=0.9, inertia_end=0.4, start="random"),
        PSO(particles=4, iterations=5, top_speed=0.05, start="random"),
        PSO(particles=4, iterations=5, start="random", draws="particle"),
    ],
    ids=["papers", "other pulls", "slow", "one number a particle"],
)
def test_equals_the_equations_written_out(search: PSO, seed: int) -> None:
    for place, expected in zip(visited(search, Linf(0.35)), by_hand(search, 0.35, seed), strict=True):
        assert torch.allclose(place[seed], torch.tensor(expected), rtol=0, atol=2e-6)


def test_inertia_rises_from_four_to_nine_tenths_as_in_equation_3() -> None:
    # Twenty iterations are nineteen moves: Gk = 18, g = 0 ... 18.
    inertia = [PSO()._inertia(step) for step in range(1, 20)]
    assert inertia[0] == 0.4
    assert inertia[1] == pytest.approx((0.4 - 0.9) * 17 / 18 + 0.9)
    assert inertia[-1] == 0.9
    assert inertia == sorted(inertia)
    assert PSO(iterations=2)._inertia(1) == 0.4


@pytest.mark.parametrize("region", [Linf(0.05), L2(0.3)], ids=str)
def test_an_edge_start_is_as_far_from_the_seed_as_the_region_allows(region: Linf | L2) -> None:
    centre = torch.full((2, 3, 28, 30), 0.5)
    offset = next(PSO(particles=6).points(region, centre, Streams(0, IDS))) - 0.5
    if isinstance(region, Linf):
        assert torch.allclose(offset.abs(), torch.tensor(0.05))
    else:
        assert torch.allclose(offset.flatten(2).norm(dim=2), torch.tensor(0.3), atol=1e-4)
    assert len(offset.flatten(0, 1).unique(dim=0)) == 12


def test_an_edge_start_is_equal_within_blocks() -> None:
    centre = torch.full((2, 3, 8, 6), 0.5)
    offset = next(PSO(particles=5, blocks=4).points(L2(1), centre, Streams(0, IDS))) - 0.5
    rows, columns = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3]), torch.tensor([0, 0, 1, 2, 2, 3])
    cells = offset[..., ::2, :][..., [0, 2, 3, 5]]
    assert torch.equal(offset, cells[..., rows, :][..., columns])
    assert len(cells.flatten().unique()) > 0.9 * cells.numel()


def test_an_edge_start_has_no_blocks_smaller_than_a_value() -> None:
    offset = next(PSO(particles=5, blocks=99).points(L2(1), torch.full((2, 1, 4, 4), 0.5), Streams(0, IDS))) - 0.5
    assert len(offset.flatten().unique()) > 150


def test_where_there_is_no_edge_it_starts_anywhere() -> None:
    region, streams = L0(0.5), Streams(0, IDS)
    start = next(PSO(particles=5).points(region, torch.full((2, 1, 4, 4), 0.5), streams))
    assert torch.equal(start, region.samples(torch.full((2, 1, 4, 4), 0.5), streams, 0, 5))


def test_a_random_start_is_near_the_seed() -> None:
    start = next(PSO(particles=50, start="random", start_speed=0.2).points(Linf(0.9), CENTRE, Streams(0, IDS)))
    offset = start - CENTRE.unsqueeze(1)
    assert 0.15 < float(offset.abs().amax()) <= 0.2 + 1e-6
    assert len(start.flatten(0, 1).unique(dim=0)) == 100


def test_a_fixed_start_is_the_seed_and_then_it_moves() -> None:
    first, second, *_ = visited(PSO(particles=5, start="fixed"), Linf(0.9))
    assert torch.equal(first, CENTRE.unsqueeze(1).expand(2, 5, 3))
    # Everything is at the seed, so nothing pulls: the first velocity is all there is.
    moved = (second - first).abs()
    assert 0 < float(moved.amax()) <= 0.4 * 0.1 + 1e-6


def test_no_particle_is_faster_than_allowed() -> None:
    places = visited(PSO(particles=30, top_speed=0.03, start_speed=0.01), Linf(0.9))
    steps = torch.stack(places).diff(dim=0).abs()
    assert 0.029 < float(steps.amax()) <= 0.03 + 1e-6


def test_is_clearly_better_than_random_search(climb: Callable[[Search], list[float]]) -> None:
    heights = climb(PSO(particles=20, iterations=20, start="random"))
    assert heights[-1] > climb(Random(population=20, iterations=20))[-1] / 5
    assert heights[0] < heights[5] < heights[10] < heights[19]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"particles": 0}, "particles must be >= 1, got 0"),
        ({"iterations": -1}, "iterations must be >= 1, got -1"),
        ({"start": "somewhere"}, "start must be edge, uniform, random or fixed, got 'somewhere'"),
        ({"draws": "none"}, "draws must be value or particle, got 'none'"),
        ({"blocks": 0}, "blocks must be >= 1, got 0"),
        ({"start_speed": 0.0}, "start_speed must be > 0, got 0.0"),
        ({"top_speed": float("nan")}, "top_speed must be > 0, got nan"),
    ],
)
def test_refuses_strange_settings(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        PSO(**wrong)
    assert str(error.value) == words


def test_width() -> None:
    assert PSO(particles=7).width == 7
