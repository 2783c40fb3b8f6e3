"""Fixtures for all tests."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings
from torch import Tensor, nn

from unnerve.core.examples import Examples
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.metering import Meter, Metered
from unnerve.core.methods import Hunter, Space
from unnerve.core.model import Classifier, Instrumented
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

Scene = tuple[Subject[Metered], Seeds, Streams]
"""What a hunter is given, beside the region."""

# Examples are the same in every run, so that a change is never blamed for bad luck; no time limit on a busy machine.
settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")

# The suite gives the same answer every time; `make soak` looks for examples that nobody has seen yet.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("searching", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)  # the workers share the processors already


@pytest.fixture(autouse=True)
def same_weights_in_every_run() -> None:
    """Let networks that a test makes start from the same weights in every run."""
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder with mnist/, fashion-mnist/, cifar10/ and imagenet-samples/."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("UNNERVE_DATA", beside))
    if not folder.is_dir():
        pytest.skip("real data sets are not here; UNNERVE_DATA can name their folder")
    return folder


@pytest.fixture
def small_images() -> Tensor:
    """Return 40 grey images of 8x8 pixels in [0, 1], always the same."""
    return torch.from_numpy(np.random.default_rng(1).random((40, 1, 8, 8), dtype=np.float32))


@pytest.fixture
def tiny_net() -> nn.Sequential:
    """Return a small convolutional network from (N, 1, 8, 8) to logits (N, 4), always the same, in eval mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(8)
        dense = nn.Linear(48, 4)
        net = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), dense)
    dense.weight.data.mul_(12)  # answers that differ from input to input
    return net.eval()


@pytest.fixture
def tiny_model(tiny_net: nn.Module) -> TorchModule:
    """Return the small network as a model under test."""
    return TorchModule(tiny_net, "tiny")


@pytest.fixture
def small_data(small_images: Tensor) -> Examples:
    """Return the small images with labels 0 to 3 in turn."""
    return tensors(small_images, torch.arange(40) % 4, classes="abcd", name="small")


@pytest.fixture
def scene(tiny_model: TorchModule, small_data: Examples) -> Callable[..., Scene]:
    """Return scene(rows, model=None) -> the small network, metered; some small images as seeds; their streams."""

    def made(rows: Sequence[int], model: Classifier | None = None) -> Scene:
        batch = small_data.batch(rows)
        metered = Metered(model or tiny_model, Meter(len(batch)))
        seeds = Seeds(batch, metered.of(torch.arange(len(batch))).observe(batch.inputs))
        usual = Reference.observed(metered.model, small_data) if isinstance(metered.model, Instrumented) else None
        return Subject(metered, Context(reference=usual)), seeds, Streams(0, batch.ids)

    return made


@pytest.fixture
def chase() -> Callable[..., list[Candidates]]:
    """Return chase(hunter, scene, space, wanted=None) -> all that a hunter proposes.

    ``wanted(step)`` says after every step which seeds the hunter shall go on with; all of them by default.
    """

    def run_campaign(
        hunter: Hunter, scene: Scene, space: Space, wanted: Callable[[int], Tensor] | None = None
    ) -> list[Candidates]:
        everyone = torch.ones(len(scene[1]), dtype=torch.bool)
        hunt = hunter.hunt(scene[0], scene[1], space, scene[2])
        found, candidates = [], next(hunt)
        while True:
            found.append(
                replace(candidates, inputs=candidates.inputs.clone(), seed_index=candidates.seed_index.clone())
            )
            try:
                candidates = hunt.send(everyone if wanted is None else wanted(candidates.step))
            except StopIteration:
                return found

    return run_campaign


@pytest.fixture
def random_state_stays() -> Iterator[None]:
    """Fail if a test leaves torch's, numpy's or Python's global random state other than it was."""
    before = (torch.get_rng_state(), _numpy_state(), random.getstate())
    yield
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == _numpy_state()
    assert before[2] == random.getstate()


def _numpy_state() -> str:
    return str(np.random.get_state(legacy=False))  # noqa: NPY002 - the global state is what we look at
