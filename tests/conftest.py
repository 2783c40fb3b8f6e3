"""Fixtures for all tests."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import settings
from torch import Tensor, nn

from tests.tries import pytest_runtest_makereport, pytest_terminal_summary, tries
from unnerve.core.data.examples import Examples
from unnerve.core.findings import Candidates
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing import promises
from unnerve.testing import scene as testing

__all__ = ["pytest_runtest_makereport", "pytest_terminal_summary", "tries"]

# Examples are the same in every run, so that a change is never blamed for bad luck, and no busy machine is too slow;
# `make soak` looks for examples that nobody has seen yet.
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
    return testing.small_images()


@pytest.fixture
def tiny_net() -> nn.Sequential:
    """Return a small convolutional network from (N, 1, 8, 8) to logits (N, 4), always the same, in eval mode."""
    return testing.tiny_net()


@pytest.fixture
def tiny_model(tiny_net: nn.Module) -> TorchModule:
    """Return the small network as a model under test."""
    return TorchModule(tiny_net, "tiny")


@pytest.fixture
def small_data() -> Examples:
    """Return the small images with labels 0 to 3 in turn."""
    return testing.small_data()


@pytest.fixture
def scene(tiny_model: TorchModule) -> Callable[..., testing.Scene]:
    """Return scene(rows, model=None) -> the small network, metered; some small images as seeds; their streams."""
    return lambda rows, model=None: testing.scene(rows, model or tiny_model)


@pytest.fixture
def proposals() -> Callable[..., list[Candidates]]:
    """Return proposals(hunter, scene, space, wanted=None) -> all that a hunter proposes."""
    return testing.proposals


@pytest.fixture
def random_state_stays() -> Iterator[None]:
    """Fail if a test leaves torch's, numpy's or Python's global random state other than it was."""
    with promises.random_state_stays():
        yield
