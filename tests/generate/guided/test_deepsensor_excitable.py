import json
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Referenced
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided.deepsensor_excitable import DeepSensorExcitable
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.excitable_neurons import ExcitableNeurons
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.pso import PSO
from unnerve.measure.reactions.path import Path

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]


def test_the_settings_are_those_of_the_papers() -> None:
    search = DeepSensorExcitable().guided.search
    assert search == PSO(100, 20, own_pull=2, swarm_pull=2, inertia_start=0.4, inertia_end=0.9)
    assert DeepSensorExcitable().guided.enough == 1
    assert (DeepSensorExcitable().width, DeepSensorExcitable().step_cost(10)) == (100, 200)


def test_is_a_swarm_that_follows_the_share_of_excitable_neurons(scene: Scenes, proposals: Proposals) -> None:
    hunter = build(
        "hunter", "deepsensor-excitable:particles=7,iterations=6,start=random,estimator=path(2),threshold=0.1"
    )
    same = Guided(PSO(7, 6, start="random"), ExcitableNeurons(0.1, Path(2)))
    found, expected = (proposals(one, scene(range(5)), Linf(0.2)) for one in (hunter, same))
    assert len(found) == 6
    assert all(torch.equal(one.inputs, other.inputs) for one, other in zip(found, expected, strict=True))


def test_a_seed_with_enough_excitable_neurons_is_done(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(8))
    found = proposals(DeepSensorExcitable(PSO(10, 8), enough=0.4, threshold=0.1), made, Linf(0.1))
    fitness = ExcitableNeurons(0.1).prepare(made[0], made[1])
    for one, following in pairwise(found):
        shares = fitness(one.inputs.unsqueeze(1), one.seed_index).squeeze(1)
        assert following.seed_index.tolist() == one.seed_index[shares <= 0.4].tolist()
    assert len(found[0]) > len(found[-1])


def test_describes_itself_by_its_own_name() -> None:
    hunter = DeepSensorExcitable(PSO(30), estimator=Path(2))
    described = json.loads(json.dumps(describe(hunter)))
    assert described["name"] == "deepsensor_excitable"
    assert build("hunter", described) == hunter


def test_needs_neurons_and_no_reference() -> None:
    assert DeepSensorExcitable().needs == Capability.NEURONS
    assert not isinstance(DeepSensorExcitable(), Referenced)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("iterations=0", "iterations must be >= 1, got 0"),
        ("threshold=-1", "threshold must be >= 0, got -1.0"),
        ("estimator=permutation", "estimator must be taylor, path or owen, got permutation"),
    ],
)
def test_refuses_strange_settings_at_once(wrong: str, words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        build("hunter", f"deepsensor_excitable:{wrong}")
    assert str(error.value) == words
