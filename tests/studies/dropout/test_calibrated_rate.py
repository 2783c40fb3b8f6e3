import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.masks import Masks
from unnerve.measure.scores.vro import vro
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.dropout import with_dropout


@pytest.fixture
def right_data(tiny_model: TorchModule, small_images: Tensor) -> Examples:
    """Return data of which the small network gets all but the first ten right."""
    labels = tiny_model.observe(small_images).predicted
    labels[:10] = (labels[:10] + 1) % 4
    return tensors(small_images, labels, name="small")


def mean_vro(model: TorchModule, x: Tensor, ids: tuple[str, ...], rate: float) -> float:
    draws = with_dropout(model, rate).samples(x, Masks(0, ids, 50))
    return float(vro(draws, model.observe(x).probabilities).mean())


@pytest.mark.parametrize("target", [0.05, 0.2])
def test_meets_the_target_on_the_inputs_that_are_right(
    tiny_model: TorchModule, right_data: Examples, small_images: Tensor, target: float
) -> None:
    rate = calibrated_rate(tiny_model, right_data, target)
    ids = tuple(map(str, range(10, 40)))
    assert mean_vro(tiny_model, small_images[10:], ids, rate) == pytest.approx(target, abs=0.0051)


def test_a_higher_target_needs_a_higher_rate(tiny_model: TorchModule, right_data: Examples) -> None:
    rates = [calibrated_rate(tiny_model, right_data, target, draws=20) for target in (0.02, 0.1, 0.25)]
    assert rates == sorted(rates)
    assert rates[0] < 0.5 * rates[2]


def test_only_so_many_inputs_are_used(tiny_model: TorchModule, right_data: Examples, small_images: Tensor) -> None:
    rate = calibrated_rate(tiny_model, right_data, 0.1, inputs=5, draws=50)
    assert mean_vro(tiny_model, small_images[10:15], tuple(map(str, range(10, 15))), rate) == pytest.approx(
        0.1, abs=0.01
    )


def test_without_labels_all_inputs_count(tiny_model: TorchModule, small_images: Tensor) -> None:
    rate = calibrated_rate(tiny_model, tensors(small_images), 0.1)
    assert mean_vro(tiny_model, small_images, tuple(map(str, range(40))), rate) == pytest.approx(0.1, abs=0.0051)


def test_refuses_what_cannot_be(tiny_model: TorchModule, right_data: Examples, small_images: Tensor) -> None:
    with pytest.raises(InvalidSetting, match=r"the target VRO must be in \(0, 1\), got 1"):
        calibrated_rate(tiny_model, right_data, 1)
    with pytest.raises(InvalidSetting, match=r"the target VRO must be at most 0\.\d\d, what a rate of 0\.99 gives"):
        calibrated_rate(tiny_model, right_data, 0.99)
    wrong = tensors(small_images, (tiny_model.observe(small_images).predicted + 1) % 4, name="wrong")
    with pytest.raises(InvalidData, match="wrong: a dropout rate cannot be found where tiny gets no input right"):
        calibrated_rate(tiny_model, wrong, 0.2)
    box = BlackBox(lambda x: np.full((len(x), 2), 0.5), "box")
    with pytest.raises(InvalidModel, match="box is none"):
        calibrated_rate(box, tensors(small_images), 0.2)


def test_places_are_the_users(tiny_model: TorchModule, small_images: Tensor) -> None:
    rates = [calibrated_rate(tiny_model, tensors(small_images), 0.1, places=[place]) for place in ("1", "before:4")]
    assert rates[0] != rates[1]
    assert torch.tensor(rates).gt(0).all()
