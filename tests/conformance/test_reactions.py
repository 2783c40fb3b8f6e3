"""What is asked of every reaction."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.catalogue import build, describe
from unnerve.core.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.metering import Metered
from unnerve.core.methods import Reaction
from unnerve.core.model import Capability, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.texts import texts

Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
ROWS = [3, 8, 20, 30]


@pytest.fixture(params=texts("reaction"))
def reaction(request: pytest.FixtureRequest) -> Reaction:
    method: Reaction = build("reaction", request.param)
    return method


@pytest.fixture
def changed(small_images: Tensor) -> Tensor:
    """Return three changes of each seed: none, a small one, and another image."""
    seeds = small_images[ROWS]
    return torch.stack([seeds, (seeds + 0.1).clamp(max=1), small_images[[5, 6, 7, 9]]], dim=1)


def reacted(reaction: Reaction, made: tuple[Subject[Metered], Seeds, Streams], changed: Tensor) -> Tensor:
    return reaction.prepare(*made)(changed, torch.arange(len(changed)))


def test_one_number_for_each_neuron(
    reaction: Reaction, scene: Scenes, changed: Tensor, tiny_model: TorchModule
) -> None:
    neurons = tiny_model.neuron_map(changed[0])
    found = reacted(reaction, scene(ROWS), changed)
    assert found.shape == (4, 3, len(neurons.hidden if reaction.hidden else neurons))
    assert found.dtype == torch.float32
    assert bool(found.isfinite().all())
    assert bool((found[:, 1:] != 0).any(dim=-1).all())


def test_nothing_reacts_to_no_change(reaction: Reaction, scene: Scenes, changed: Tensor) -> None:
    assert bool((reacted(reaction, scene(ROWS), changed)[:, 0] == 0).all())


def test_the_same_alone_and_in_company(reaction: Reaction, scene: Scenes, changed: Tensor) -> None:
    together = reacted(reaction, scene(ROWS), changed)
    for place, row in enumerate(ROWS):
        alone = reacted(reaction, scene([row]), changed[place : place + 1])
        assert torch.equal(alone[0], together[place])
    react = reaction.prepare(*scene(ROWS))
    assert torch.equal(react(changed[[2, 0], 1:2], torch.tensor([2, 0])), together[[2, 0], 1:2])


def test_costs_what_it_says(reaction: Reaction, scene: Scenes, changed: Tensor, tiny_model: TorchModule) -> None:
    subject, seeds, streams = scene(ROWS)
    react = reaction.prepare(subject, seeds, streams)
    before = subject.model.meter.spent.clone()
    neurons = tiny_model.neuron_map(changed[0])
    each = reaction.cost(len(neurons.hidden if reaction.hidden else neurons))
    assert bool((before > 1).all())
    assert bool((before <= 1 + each).all()), "a seed costs no more than what is changed"
    react(changed[[1, 3]], torch.tensor([1, 3]))
    assert (subject.model.meter.spent - before).tolist() == [0, 3 * each, 0, 3 * each]


def test_the_module_and_the_inputs_are_left_as_they_were(
    reaction: Reaction, scene: Scenes, changed: Tensor, tiny_net: nn.Module
) -> None:
    made, before = scene(ROWS), changed.clone()
    weights = {name: tensor.clone() for name, tensor in tiny_net.state_dict().items()}
    tiny_net.train()
    reacted(reaction, made, changed)
    assert all(part.training and not part._forward_hooks for part in tiny_net.modules())
    assert all(one.grad is None and one.requires_grad for one in tiny_net.parameters())
    assert all(torch.equal(tensor, weights[name]) for name, tensor in tiny_net.state_dict().items())
    assert torch.equal(changed, before)


@pytest.mark.usefixtures("random_state_stays")
def test_the_global_random_state_is_left_alone(reaction: Reaction, scene: Scenes, changed: Tensor) -> None:
    reacted(reaction, scene(ROWS), changed)


def test_works_without_labels(reaction: Reaction, scene: Scenes, changed: Tensor) -> None:
    subject, seeds, streams = scene(ROWS)
    answers = replace(seeds.batch, labels=seeds.clean.predicted)
    bare = Seeds(Batch(seeds.batch.inputs, None, seeds.batch.ids), Observation(seeds.clean.logits))
    found = reacted(reaction, (subject, bare, streams), changed)
    assert torch.equal(found, reacted(reaction, (subject, Seeds(answers, seeds.clean), streams), changed))


def test_needs_neurons(reaction: Reaction) -> None:
    assert Capability.NEURONS in reaction.needs


def test_survives_json(reaction: Reaction) -> None:
    assert build("reaction", json.loads(json.dumps(describe(reaction)))) == reaction
