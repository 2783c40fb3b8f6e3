import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Want
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.core.reference import Reference
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


def test_the_spread_is_the_standard_deviation(
    tiny_model: TorchModule, small_data: Examples, small_images: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = tiny_model.observe(small_images, Want.NEURONS).neurons.double()
    for rows in (256, 7, 1):
        monkeypatch.setattr("unnerve.core.reference._ROWS", rows)
        reference = Reference.observed(tiny_model, small_data)
        assert torch.allclose(reference.spread, values.std(dim=0, correction=0).float(), rtol=1e-5)
        assert reference.inputs == 40
        assert reference.neurons == tiny_model.neuron_map(small_images)


def test_small_spreads_far_from_zero_are_kept(tiny_model: TorchModule) -> None:
    # Bright images that hardly differ: their mean is a hundred thousand times their spread.
    nearly = 0.9 + 1e-5 * torch.arange(600.0).sin().view(600, 1, 1, 1).expand(600, 1, 8, 8)
    reference = Reference.observed(tiny_model, tensors(nearly.contiguous()))
    values = tiny_model.observe(nearly.contiguous(), Want.NEURONS).neurons.double()
    assert torch.allclose(reference.spread.double(), values.std(dim=0, correction=0), rtol=1e-6, atol=1e-12)


def test_a_neuron_that_never_moves_has_no_spread(tiny_model: TorchModule, small_images: Tensor) -> None:
    reference = Reference.observed(tiny_model, tensors(small_images[:1].expand(5, -1, -1, -1).contiguous()))
    assert reference.spread.tolist() == [0.0] * len(reference.neurons)


def test_is_of_the_neurons_that_were_watched() -> None:
    seen = NeuronMap((Layer("a", 0, 2), Layer("b", 2, 1)), "deepxplore")
    reference = Reference(seen, torch.ones(3), 10)
    reference.check(seen)
    with pytest.raises(InvalidSetting, match=r"other neurons: 3 chosen by 'deepxplore', not 2 chosen by 'a'$"):
        reference.check(NeuronMap((Layer("a", 0, 2),), "a"))
