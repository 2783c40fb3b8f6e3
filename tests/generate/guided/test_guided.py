import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided._cube import Cube
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.margin import Margin
from unnerve.generate.perturbations.patch import Patch
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.genetic import Genetic
from unnerve.generate.searches.pso import PSO
from unnerve.generate.searches.random import Random
from unnerve.subjects.adapters.torch_module import TorchModule

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
REGION = Linf(0.2)


@dataclass(frozen=True)
class Costly:
    """A goal that needs gradients, costs two queries per class, and likes bright inputs."""

    needs = Capability.GRADIENTS
    start_cost = 0

    def cost(self, classes: int) -> int:
        return 2 * classes

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        return lambda candidates, rows: candidates.flatten(2).mean(dim=2)


def all_points(hunter: Guided, scene: tuple[Subject[Metered], Seeds, Streams]) -> list[tuple[Tensor, Tensor]]:
    """Return what the search shows if it is sent the margins: (points (N, P, ...), margins (N, P))."""
    subject, seeds, streams = scene
    fitness, rows = Margin().prepare(subject, seeds), torch.arange(len(seeds))
    points = hunter.search.points(REGION, seeds.batch.inputs, streams)
    shown, x = [], next(points)
    while True:
        values = fitness(x, rows)
        shown.append((x.clone(), values))
        try:
            x = points.send((values, torch.ones(len(seeds), dtype=torch.bool)))
        except StopIteration:
            return shown


@pytest.mark.parametrize("search", [PSO(6, 5), Genetic(6, 5), Random(6, 5)])
def test_proposes_the_best_so_far_of_every_seed(search: Any, scene: Scenes, proposals: Proposals) -> None:
    hunter = Guided(search)
    proposed = proposals(hunter, scene(range(4)), REGION)
    champions = [(float("-inf"), torch.empty(0))] * 4
    for step, (points, values) in enumerate(all_points(hunter, scene(range(4)))):
        for seed in range(4):
            best = int(values[seed].argmax())
            if float(values[seed, best]) > champions[seed][0]:
                champions[seed] = float(values[seed, best]), points[seed, best]
        assert proposed[step].step == step
        assert proposed[step].seed_index.tolist() == [0, 1, 2, 3]
        assert torch.equal(proposed[step].inputs, torch.stack([champion for _, champion in champions]))
    assert len(proposed) == 5


def test_the_margin_of_a_seed_never_falls(scene: Scenes, proposals: Proposals, tiny_model: TorchModule) -> None:
    made = scene(range(8))
    margins = [
        -tiny_model.observe(one.inputs).lead(made[1].expected) for one in proposals(Guided(PSO(20, 15)), made, REGION)
    ]
    assert bool((torch.stack(margins).diff(dim=0) >= 0).all())
    assert bool((margins[-1] > margins[0]).all())


def test_unwanted_seeds_are_dropped_and_not_asked_about(scene: Scenes, proposals: Proposals) -> None:
    wanted = [[1, 1, 1, 1], [1, 0, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    made = scene(range(4))
    proposed = proposals(Guided(PSO(6, 5)), made, REGION, lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 3], [0, 3], [0, 3]]
    assert made[0].model.meter.spent.tolist() == [1 + 6 * 5, 1 + 6 * 2, 1 + 6 * 3, 1 + 6 * 5]


def test_ends_when_no_seed_is_wanted(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(4))
    assert len(proposals(Guided(PSO(6, 5)), made, REGION, lambda step: torch.zeros(4, dtype=torch.bool))) == 1
    assert made[0].model.meter.spent.tolist() == [7] * 4


def test_what_was_proposed_is_the_hunters_no_longer(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(2))
    expected = proposals(Guided(PSO(6, 5)), made, REGION)
    subject, seeds, streams = scene(range(2))
    hunt = Guided(PSO(6, 5)).hunt(subject, seeds, REGION, streams)
    candidates, everyone = next(hunt), torch.ones(2, dtype=torch.bool)
    for step in range(1, 5):
        candidates.inputs.zero_()
        candidates = hunt.send(everyone)
        assert torch.equal(candidates.inputs, expected[step].inputs)


def test_an_encoding_is_searched_instead_of_the_values(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    centre = made[1].batch.inputs
    proposed = proposals(Guided(PSO(6, 5), encoding=Patch(2)), made, L0(0.1))
    assert len(proposed) == 5
    for one in proposed:
        changed = (one.inputs != centre).flatten(1).sum(dim=1)
        assert bool((changed <= 4).all()), "a 2x2 block"
        assert bool((changed > 0).all())
        assert bool(L0(0.1).contains(one.inputs, centre).all())


def test_what_an_encoding_makes_is_projected(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    centre = made[1].batch.inputs
    (first,) = proposals(Guided(Random(1, 1), encoding=Patch(3, "invert")), made, Linf(0.05))
    parameters = Cube().samples(torch.empty(3, 3), made[2], 0, 1)
    inverted = Patch(3, "invert").apply(centre, parameters).squeeze(1)
    assert torch.equal(first.inputs, inverted.clamp(centre - 0.05, centre + 0.05).clamp(0, 1))
    assert bool((first.inputs != centre).any())


def test_an_encoding_that_does_not_fit_says_so(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidData, match=r"patch needs images \(C, H, W\) with sides >= 9"):
        proposals(Guided(PSO(6, 5), encoding=Patch(9)), scene(range(2)), REGION)


def test_needs_and_costs_are_those_of_search_and_objective() -> None:
    assert Guided().needs == Capability.ANSWERS
    assert (Guided(PSO(6)).width, Guided(PSO(6)).step_cost(10)) == (6, 6)
    costly = Guided(Random(7), Costly())
    assert costly.needs == Capability.GRADIENTS
    assert (costly.width, costly.step_cost(10)) == (7, 140)


def test_follows_its_objective(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    last = proposals(Guided(PSO(10, 30), Costly()), made, REGION)[-1].inputs
    brighter = (last - made[1].batch.inputs).flatten(1).mean(dim=1)
    assert bool((brighter > 0.05).all())
    assert made[0].model.meter.spent.tolist() == [1, 1, 1], "this goal asks the model nothing"


@pytest.mark.parametrize(
    "hunter",
    [Guided(), Guided(Genetic(9, mutation=0.1)), Guided(PSO(3, start="fixed"), Margin(), Patch(3, "invert"))],
    ids=["default", "genetic", "patch"],
)
def test_describes_itself_and_is_built_again(hunter: Guided, scene: Scenes, proposals: Proposals) -> None:
    again = build("hunter", json.loads(json.dumps(describe(hunter))))
    assert again == hunter
    first, second = (next(one.hunt(*scene(range(2))[:2], REGION, scene(range(2))[2])) for one in (hunter, again))
    assert torch.equal(first.inputs, second.inputs)


def test_the_cube_holds_what_is_drawn_and_projected() -> None:
    centre = torch.full((2, 3), 0.5)
    drawn = Cube().samples(centre, Streams(0, "ab"), 0, 5)
    assert drawn.shape == (2, 5, 3)
    assert bool(Cube().contains(drawn[:, 0], centre).all())
    far = torch.tensor([[-1.0, 0.5, 2.0], [0.1, 1.0, 0.0]])
    assert Cube().contains(far, centre).tolist() == [False, False]
    assert Cube().project(far, centre) is far
    assert Cube().contains(far, centre).tolist() == [True, True]
    assert far[0, 1] == 0.5
