import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.faults.overfitted import Overfitted
from unnerve.subjects.training.recipes import Recipe


def test_many_epochs_without_what_keeps_from_overfitting() -> None:
    recipe = Overfitted().recipe(Recipe(epochs=3, batch=128, decay=0.1, flip=True, shift=2))
    assert recipe == Recipe(epochs=30, batch=32)


def test_few_examples_if_asked_for() -> None:
    data = tensors(torch.rand(9, 4))
    assert len(Overfitted(inputs=4).data(data)) == 4
    assert len(Overfitted().data(data)) == 9


@pytest.mark.parametrize("name", ["epochs", "batch", "inputs"])
def test_refuses_none_of_it(name: str) -> None:
    with pytest.raises(InvalidSetting, match=f"{name} must be >= 1, got 0"):
        Overfitted(**{name: 0})
