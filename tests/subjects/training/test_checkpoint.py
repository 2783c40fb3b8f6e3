from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.training.checkpoint import Checkpoint
from unnerve.subjects.training.loop import Epoch, initialised, train
from unnerve.subjects.training.recipes import Recipe

QUICK = Recipe(epochs=4, batch=8, rate=0.05, optimiser="sgd", momentum=0.9, shift=1, flip=True, batch_norm=True)


class Killed(Exception):
    """The end of a process, for a test."""


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(), nn.Linear(64, 2))


@pytest.fixture
def data() -> Examples:
    generator = torch.Generator().manual_seed(0)
    return tensors(torch.rand(40, 1, 6, 6, generator=generator), torch.arange(40) % 2, name="noise")


def killed_after(number: int) -> object:
    def after(epoch: Epoch) -> None:
        if epoch.number == number:
            raise Killed

    return after


@pytest.mark.parametrize("recipe", [QUICK, replace(QUICK, optimiser="adam", rate=0.01, batch_norm=False)])
def test_a_killed_run_ends_with_the_same_weights(data: Examples, recipe: Recipe, tmp_path: Path) -> None:
    whole = initialised(network, 0)
    undisturbed = train(whole, data, recipe)
    kept = Checkpoint(tmp_path / "run.checkpoint", {"recipe": 1})
    for number in (1, 3):
        with pytest.raises(Killed):
            train(initialised(network, 0), data, recipe, None, killed_after(number), kept)  # type: ignore[arg-type]
    resumed = initialised(network, 0)
    assert train(resumed, data, recipe, checkpoint=kept) == undisturbed
    pairs = zip(whole.state_dict().values(), resumed.state_dict().values(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_another_run_is_refused(data: Examples, tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    train(initialised(network, 0), data, replace(QUICK, epochs=1), checkpoint=Checkpoint(path, {"recipe": 1}))
    with pytest.raises(InvalidSetting, match="belongs to another run: its recipe differs"):
        train(initialised(network, 0), data, QUICK, checkpoint=Checkpoint(path, {"recipe": 2}))


def test_a_damaged_file_is_named(data: Examples, tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    path.write_bytes(b"no checkpoint")
    with pytest.raises(InvalidData, match="not a readable checkpoint"):
        train(initialised(network, 0), data, QUICK, checkpoint=Checkpoint(path, {}))
