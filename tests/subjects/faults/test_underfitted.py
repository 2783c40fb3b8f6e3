import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.faults.underfitted import Underfitted
from unnerve.subjects.training.recipes import Recipe


def test_few_epochs_in_large_batches() -> None:
    recipe = Underfitted().recipe(Recipe(epochs=10, batch=32, rate=0.2))
    assert (recipe.epochs, recipe.batch, recipe.rate) == (1, 512, 0.2)


def test_the_data_stay_as_they_are() -> None:
    data = tensors(torch.rand(3, 4))
    assert Underfitted().data(data) is data


def test_refuses_no_epochs() -> None:
    with pytest.raises(InvalidSetting, match="epochs must be >= 1, got 0"):
        Underfitted(epochs=0)
