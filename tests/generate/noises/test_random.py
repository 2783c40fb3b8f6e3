from collections.abc import Callable

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises.random import Random
from unnerve.generate.regions.l2 import L2

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]


def test_every_proposal_is_a_sample_of_the_region(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(4))
    proposed = proposals(Random(iterations=3), made, L2(0.4))
    assert [one.step for one in proposed] == [0, 1, 2]
    for step, one in enumerate(proposed):
        assert torch.equal(one.inputs, L2(0.4).samples(made[1].batch.inputs, made[2], step, 1).squeeze(1))


def test_each_try_costs_a_query_and_unwanted_seeds_cost_none(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    wanted = [[1, 1, 0], [1, 0, 0], [1, 1, 1]]
    proposed = proposals(Random(iterations=3), made, L2(0.4), lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2], [0, 1], [0]]
    assert made[0].model.meter.spent.tolist() == [1 + 3, 1 + 2, 1 + 1]


def test_ends_when_no_seed_is_wanted(scene: Scenes, proposals: Proposals) -> None:
    assert len(proposals(Random(), scene(range(3)), L2(0.4), lambda step: torch.zeros(3, dtype=torch.bool))) == 1


def test_settings() -> None:
    assert (Random().needs, Random().width, Random().step_cost(10)) == (Capability.ANSWERS, 1, 1)
    with pytest.raises(InvalidSetting, match=r"^iterations must be >= 1, got 0$"):
        Random(iterations=0)
