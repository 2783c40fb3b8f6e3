from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused, UnknownName
from unnerve.studies.train import accuracy, train_model, without
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import recipe_of

QUICK = Recipe(epochs=2, batch=16, rate=0.01)


@pytest.fixture
def halves() -> Examples:
    """Return 28x28 images that are bright above (class 0) or below (class 1)."""
    x, y = np.random.default_rng(0).random((48, 1, 28, 28), dtype=np.float32) * 0.5, np.arange(48) % 2
    for image, side in zip(x, y, strict=True):
        image[0, 14 * side : 14 * side + 14] += 0.5
    return tensors(torch.from_numpy(x), y, classes=("above", "below"), name="halves")


def test_trains_and_keeps_the_history_with_the_weights(tmp_path: Path, halves: Examples) -> None:
    out = tmp_path / "lenet1.safetensors"
    steps: list[tuple[int, int]] = []
    done = train_model(
        "lenet1", halves, test=halves.first(10), recipe=QUICK, out=out, progress=lambda *step: steps.append(step)
    )
    assert steps[-1] == (6, 6)
    stored = recipe_of(out)
    assert stored == {key: value for key, value in done.history.items() if key != "seconds"}
    assert stored["network"] == "lenet1"
    assert stored["recipe"]["rate"] == 0.01
    assert stored["data"] == {"name": "halves", "count": 48, "hash": halves.fingerprint}
    assert stored["test"]["count"] == 10
    x = halves.batch(range(5)).inputs
    loaded = model("zoo:lenet1", weights=out).observe(x).logits
    with torch.no_grad():
        assert torch.allclose(loaded, done.module(x), atol=1e-6)


def test_learns(halves: Examples) -> None:
    done = train_model("net2:classes=2", halves, recipe=replace(QUICK, epochs=3))
    assert accuracy(done.module, halves) == 1
    assert not done.module.training


def test_the_network_fits_the_data(halves: Examples) -> None:
    done = train_model("net2", halves, recipe=replace(QUICK, epochs=1))
    assert done.module.get_submodule("logits").out_features == 2
    assert done.module.get_submodule("conv1").in_channels == 1


@pytest.mark.usefixtures("random_state_stays")
def test_the_same_recipe_makes_the_same_model(halves: Examples) -> None:
    first, second = (train_model("lenet1", halves, recipe=replace(QUICK, epochs=1)).module for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first.parameters(), second.parameters(), strict=True))


def test_refuses_before_training(tmp_path: Path, halves: Examples) -> None:
    def never(*_: int) -> None:
        pytest.fail("training began")

    with pytest.raises(OutputRefused, match="there is no folder"):
        train_model("lenet1", halves, out=tmp_path / "nowhere" / "x.safetensors", progress=never)
    with pytest.raises(OutputRefused, match=r"weights are written as \.safetensors, got"):
        train_model("lenet1", halves, out=tmp_path / "x.pt", progress=never)
    with pytest.raises(InvalidData, match="halves: training needs labels"):
        train_model("lenet1", replace(halves, labels=None), progress=never)
    with pytest.raises(UnknownName, match="unknown zoo model 'lenet9'"):
        train_model("lenet9", halves, progress=never)
    with pytest.raises(InvalidSetting, match="net2:classes=2 has 2 classes, but many has labels up to 6"):
        train_model("net2:classes=2", tensors(torch.zeros(7, 1, 28, 28), torch.arange(7), name="many"), progress=never)


def test_accuracy_by_hand() -> None:
    data = tensors(torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), [0, 1, 1, 1])
    assert accuracy(nn.Identity(), data) == 0.75
    with pytest.raises(InvalidData, match="accuracy needs labels"):
        accuracy(nn.Identity(), tensors(torch.rand(3, 2)))


def test_examples_can_be_left_out(halves: Examples) -> None:
    kept = without(halves, halves.take([3, 7, 7, 40]))
    assert len(kept) == 45
    assert {"3", "7", "40"}.isdisjoint(kept.ids())
    assert kept.name == "halves without halves"
    with pytest.raises(InvalidSetting, match="cannot leave out other: its inputs have shape"):
        without(halves, tensors(torch.rand(3, 1, 8, 8), name="other"))
