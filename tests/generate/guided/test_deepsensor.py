import json
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided.deepsensor import DeepSensor
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.sensitive_neurons import SensitiveNeurons
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.pso import PSO

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]


def test_the_settings_are_those_of_the_papers() -> None:
    search = DeepSensor().guided.search
    assert isinstance(search, PSO)
    assert (search.particles, search.iterations) == (100, 20)
    assert (search.own_pull, search.swarm_pull) == (2, 2)
    assert (search.inertia_start, search.inertia_end) == (0.4, 0.9)
    assert DeepSensor().guided.enough == 1
    assert (DeepSensor().width, DeepSensor().step_cost(10)) == (100, 100)


def test_is_a_swarm_that_follows_the_share_of_sensitive_neurons(scene: Scenes, proposals: Proposals) -> None:
    hunter = build("hunter", "deepsensor:particles=7,iterations=6,start=random,top_speed=0.2,scale=eq1,threshold=0.1")
    same = Guided(PSO(7, 6, start="random", top_speed=0.2), SensitiveNeurons(0.1, "eq1"))
    found, expected = (proposals(one, scene(range(5)), Linf(0.2)) for one in (hunter, same))
    assert len(found) == 6
    assert all(torch.equal(one.inputs, other.inputs) for one, other in zip(found, expected, strict=True))


def test_the_share_of_a_seed_never_falls(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(8))
    found = proposals(DeepSensor(PSO(20, 10)), made, Linf(0.2))
    fitness = SensitiveNeurons(DeepSensor().threshold).prepare(made[0], made[1])
    shares = torch.stack([fitness(one.inputs.unsqueeze(1), one.seed_index).squeeze(1) for one in found])
    assert bool((shares.diff(dim=0) >= 0).all())
    assert bool((shares[-1] > shares[0]).any())


def test_a_seed_with_enough_sensitive_neurons_is_done(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(8))
    found = proposals(DeepSensor(PSO(10, 8), enough=0.15, threshold=1.0), made, Linf(0.1))
    fitness = SensitiveNeurons(1.0).prepare(made[0], made[1])
    for one, following in pairwise(found):
        shares = fitness(one.inputs.unsqueeze(1), one.seed_index).squeeze(1)
        assert following.seed_index.tolist() == one.seed_index[shares <= 0.15].tolist()
    assert len(found[0]) > len(found[1]) > len(found[-1]), "some are done earlier than others"


def test_describes_itself_as_deepsensor() -> None:
    described = json.loads(json.dumps(describe(DeepSensor(PSO(30), scale="minmax"))))
    assert described["name"] == "deepsensor"
    assert build("hunter", described) == DeepSensor(PSO(30), scale="minmax")


def test_says_what_it_needs() -> None:
    assert DeepSensor().needs == Capability.NEURONS
    assert DeepSensor().referenced
    assert not DeepSensor(scale="eq1").referenced


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("particles=0", "particles must be >= 1, got 0"),
        ("start=nowhere", "start must be edge, uniform, random or fixed, got 'nowhere'"),
        ("scale=none", "scale must be spread, eq1, minmax or released, got 'none'"),
        ("threshold=-1", "threshold must be >= 0, got -1.0"),
    ],
)
def test_refuses_strange_settings_at_once(wrong: str, words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        build("hunter", f"deepsensor:{wrong}")
    assert str(error.value) == words
