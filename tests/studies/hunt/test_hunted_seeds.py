import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.studies.hunt._hunted_seeds import hunted_seeds as chosen_seeds
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


def hunted_seeds(model: Classifier, data: Examples, count: int, target: int | None = None) -> tuple[Examples, int]:
    """Return the seeds, and how many inputs were looked at for them."""
    found = chosen_seeds(model, data, count, target)
    return found.seeds, found.looked_at


def test_seeds_are_the_first_correct_ones(tiny_model: TorchModule, answered: Examples) -> None:
    seeds, looked_at = hunted_seeds(tiny_model, answered, 5)
    assert seeds.ids() == ("1", "2", "3", "5", "6")
    assert looked_at == 7
    seeds, looked_at = hunted_seeds(tiny_model, answered, 1000)
    assert (len(seeds), looked_at) == (30, 40)
    unlabelled = tensors(answered.batch(range(40)).inputs)
    seeds, looked_at = hunted_seeds(tiny_model, unlabelled, 5)
    assert (seeds.ids(), looked_at) == (("0", "1", "2", "3", "4"), 5)
    with pytest.raises(InvalidData, match="tiny classifies no input correctly, so there is nothing"):
        hunted_seeds(tiny_model, answered.take(range(0, 40, 4)), 5)
    with pytest.raises(InvalidSetting, match=r"^the number of inputs must be >= 1, got 0$"):
        hunted_seeds(tiny_model, answered, 0)


def test_seeds_beyond_the_first_block(tiny_model: TorchModule, small_images: Tensor) -> None:
    many = small_images[:1].repeat(2100, 1, 1, 1)
    right = int(tiny_model.observe(many[:1]).predicted)
    labels = torch.full((2100,), (right + 1) % 4)
    labels[[1023, 1024, 2099]] = right
    seeds, looked_at = hunted_seeds(tiny_model, tensors(many, labels), 2)
    assert (seeds.ids(), looked_at) == (("1023", "1024"), 1025)
    assert hunted_seeds(tiny_model, tensors(many, labels), 3)[1] == 2100


@pytest.mark.parametrize("target", range(4))
def test_seeds_are_not_of_the_target_class(target: int, tiny_model: TorchModule, answered: Examples) -> None:
    labels = answered.label_array()
    assert labels is not None
    seeds, _ = hunted_seeds(tiny_model, answered, 1000, target)
    right = tiny_model.observe(answered.batch(range(40)).inputs).predicted.numpy() == labels
    assert [int(name) for name in seeds.ids()] == np.flatnonzero(right & (labels != target)).tolist()
    unlabelled = tensors(answered.batch(range(40)).inputs)
    seeds, _ = hunted_seeds(tiny_model, unlabelled, 1000, target)
    assert target not in tiny_model.observe(seeds.batch(range(len(seeds))).inputs).predicted


def test_nothing_but_the_target_class(tiny_model: TorchModule, answered: Examples) -> None:
    labels = answered.label_array()
    assert labels is not None
    only = answered.take(np.flatnonzero(labels == 2).tolist())
    with pytest.raises(InvalidData, match="classifies no input correctly as another class than c, so there"):
        hunted_seeds(tiny_model, only, 5, target=2)


@pytest.mark.parametrize("poison", [[0], [39], [0, 20], [3, 4, 5, 31]])
def test_inputs_that_the_model_cannot_answer_are_taken_along(
    poison: list[int], tiny_model: TorchModule, answered: Examples
) -> None:
    images, labels = answered.batch(range(40)).inputs, answered.label_array()
    assert labels is not None
    bad = {images[row].numpy().tobytes() for row in poison}

    def picky(x: np.ndarray) -> np.ndarray:
        if any(row.tobytes() in bad for row in x):
            raise ValueError("not this one")
        return tiny_model.observe(torch.from_numpy(x)).logits.numpy()

    model = BlackBox(picky, outputs="logits")
    right = tiny_model.observe(images).predicted.numpy() == labels
    right[poison] = True
    assert [int(name) for name in hunted_seeds(model, answered, 1000)[0].ids()] == np.flatnonzero(right).tolist()
    right &= labels != 2
    right[poison] = True
    seeds, _ = hunted_seeds(model, answered, 1000, target=2)
    assert [int(name) for name in seeds.ids()] == np.flatnonzero(right).tolist()


def test_a_model_that_answers_nothing_says_why(answered: Examples) -> None:
    def broken(x: np.ndarray) -> np.ndarray:
        raise ValueError("never")

    with pytest.raises(InvalidModel, match=r"^broken raised ValueError: never$"):
        hunted_seeds(BlackBox(broken, outputs="logits"), answered, 5)
