from collections.abc import Callable

import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises.patch import Patch
from unnerve.generate.perturbations.patch import Patch as Block
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.linf import Linf

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]


@pytest.mark.parametrize("colour", ["random", "invert"])
@pytest.mark.parametrize("size", [1, 3])
def test_tries_what_the_perturbation_makes(scene: Scenes, proposals: Proposals, size: int, colour: str) -> None:
    made = scene(range(4))
    block = Block(size, colour)
    tries = block.apply(made[1].batch.inputs, block.draw(made[2], 0, 5, (1, 8, 8)))
    proposed = proposals(Patch(size, colour, iterations=5), made, L0(0.2))
    assert len(proposed) == 5
    for step, one in enumerate(proposed):
        assert torch.equal(one.inputs, tries[:, step])


def test_is_projected_into_the_region(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(4))
    centre = made[1].batch.inputs
    for one in proposals(Patch(iterations=4), made, Linf(0.05)):
        assert bool(Linf(0.05).contains(one.inputs, centre).all())
        assert bool(((one.inputs != centre).flatten(1).sum(dim=1) <= 4).all())


def test_each_try_costs_a_query_and_unwanted_seeds_cost_none(scene: Scenes, proposals: Proposals) -> None:
    wanted = [[1, 1, 0], [1, 0, 0], [1, 1, 1]]
    made = scene(range(3))
    proposed = proposals(Patch(iterations=3), made, L0(0.2), lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    everyone = proposals(Patch(iterations=3), scene(range(3)), L0(0.2))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2], [0, 1], [0]]
    assert all(
        torch.equal(one.inputs, full.inputs[one.seed_index]) for one, full in zip(proposed, everyone, strict=True)
    )
    assert made[0].model.meter.spent.tolist() == [1 + 3, 1 + 2, 1 + 1]


def test_settings() -> None:
    assert (Patch().needs, Patch().width, Patch().step_cost(10)) == (Capability.ANSWERS, 1, 1)
    with pytest.raises(InvalidSetting, match=r"^iterations must be >= 1, got 0$"):
        Patch(iterations=0)
    with pytest.raises(InvalidSetting, match=r"^size must be >= 1, got 0$"):
        Patch(0)
    with pytest.raises(InvalidSetting, match=r"^colour must be random or invert, got 'red'$"):
        Patch(colour="red")


def test_refuses_images_that_are_too_small(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidData, match=r"patch needs images \(C, H, W\) with sides >= 9, got inputs of shape"):
        proposals(Patch(9), scene(range(2)), L0(0.2))
