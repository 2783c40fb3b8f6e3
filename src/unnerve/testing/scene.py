"""A tiny network, small images and what a hunter is given of them: always the same, nothing is downloaded."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Hunter, Space
from unnerve.core.model import Classifier, Instrumented, Want
from unnerve.core.profiles import Profile
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["Scene", "Wanted", "proposals", "scene", "small_data", "small_images", "tiny_model", "tiny_net"]

Scene = tuple[Subject[Metered], Seeds, Streams]
"""What a hunter is given, beside the region."""

Wanted = Callable[[int], Tensor]
"""Step -> which seeds the hunter shall go on with, bool (N,)."""


def small_images() -> Tensor:
    """Return 40 grey images of 8x8 pixels in [0, 1]."""
    return torch.from_numpy(np.random.default_rng(1).random((40, 1, 8, 8), dtype=np.float32))


def small_data() -> Examples:
    """Return the small images with labels 0 to 3 in turn."""
    return tensors(small_images(), torch.arange(40) % 4, classes="abcd", name="small")


def tiny_net(seed: int = 8) -> nn.Sequential:
    """Return a small convolutional network from (N, 1, 8, 8) to logits (N, 4), in eval mode; a seed for each."""
    # The suite checks that methods leave the global random state alone: its own scene must not change it either.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        dense = nn.Linear(48, 4)
        net = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), dense)
    dense.weight.data.mul_(12)  # answers that differ from input to input
    return net.eval()


def tiny_model() -> TorchModule:
    """Return the small network as a model under test; under dropout it draws for methods that ask for draws."""
    return TorchModule(tiny_net(), "tiny", dropout=Dropout(0.3))


def scene(rows: Sequence[int], model: Classifier | None = None) -> Scene:
    """Return a model, metered, some small images as seeds, and their streams; the clean pass is charged already."""
    data = small_data()
    batch = data.batch(rows)
    metered = Metered(model or tiny_model(), Meter(len(batch)))
    seeds = Seeds(batch, metered.of(torch.arange(len(batch))).observe(batch.inputs))
    context = _usual(metered.model, data) if isinstance(metered.model, Instrumented) else Context()
    return Subject(metered, context), seeds, Streams(0, batch.ids)


def _usual(model: Instrumented, data: Examples) -> Context:
    """Return how much the neurons of a model vary over some data, and how far they go."""
    inputs = data.batch(range(len(data))).inputs
    values, neurons = model.observe(inputs, Want.NEURONS).neurons, model.neuron_map(inputs[:1])
    profile = Profile(model.identity(data.shape), neurons, values.amin(dim=0), values.amax(dim=0), len(data))
    return Context(Reference.observed(model, data), profile)


def proposals(hunter: Hunter, given: Scene, space: Space, wanted: Wanted | None = None) -> list[Candidates]:
    """Return all that a hunter proposes, step by step; it goes on with all seeds unless ``wanted`` says otherwise."""
    everyone = torch.ones(len(given[1]), dtype=torch.bool)
    hunt = hunter.hunt(given[0], given[1], space, given[2])
    found, candidates = [], next(hunt)
    while True:
        # What is yielded is borrowed until the next send.
        found.append(replace(candidates, inputs=candidates.inputs.clone(), seed_index=candidates.seed_index.clone()))
        try:
            candidates = hunt.send(everyone if wanted is None else wanted(candidates.step))
        except StopIteration:
            return found
