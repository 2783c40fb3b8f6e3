import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.adapters.normalised import Normalised, NormalisedFunction
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


def test_normalise_is_what_one_would_do_by_hand(small_images: Tensor) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Flatten(), nn.Linear(192, 3))
    x = small_images.repeat(1, 3, 1, 1)
    taken = model(net, normalise=([0.4, 0.5, 0.6], [0.1, 0.2, 0.3]))
    by_hand = (x - torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1)) / torch.tensor([0.1, 0.2, 0.3]).view(1, 3, 1, 1)
    with torch.no_grad():
        assert torch.allclose(taken.observe(x).logits, net(by_hand), atol=1e-5)
    assert taken.name == "Sequential"


def test_one_value_normalises_every_channel(tiny_net: nn.Module, small_images: Tensor) -> None:
    taken = model(tiny_net, normalise=([0.13], [0.31]))
    with torch.no_grad():
        assert torch.allclose(taken.observe(small_images).logits, tiny_net((small_images - 0.13) / 0.31), atol=1e-5)


def test_refuses_means_for_other_channels(tiny_net: nn.Module, small_images: Tensor) -> None:
    with pytest.raises(
        InvalidSetting, match="`normalise` must give 1 mean, or one for each of the 1 channels, got 3 means"
    ):
        model(tiny_net, normalise=([0.1] * 3, [0.2] * 3)).observe(small_images)


def test_normalising_does_not_change_which_neurons_count() -> None:
    taken = model("zoo:lenet5?random", normalise=([0.13], [0.31]))
    assert isinstance(taken, TorchModule)
    assert len(taken.neuron_map(torch.zeros(1, 1, 28, 28))) == 268


@pytest.mark.parametrize(
    ("mean", "std"), [([0.5], [0.0]), ([0.5], [-1.0]), ([0.5, 0.5], [1.0]), ([0.5], [float("nan")])]
)
def test_refuses_strange_normalisation(tiny_net: nn.Module, mean: list[float], std: list[float]) -> None:
    with pytest.raises(InvalidSetting, match="`normalise` must give as many means as positive deviations"):
        Normalised(tiny_net, mean, std)


def test_a_function_is_normalised_as_a_module_is(tiny_net: nn.Module, small_images: Tensor) -> None:
    def function(x: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            answer: np.ndarray = tiny_net(torch.from_numpy(x)).numpy()
            return answer

    box, module = (model(one, normalise="0.13/0.31", outputs="logits") for one in (function, tiny_net))
    assert torch.allclose(box.observe(small_images).logits, module.observe(small_images).logits, atol=1e-5)
    with pytest.raises(InvalidSetting, match="one for each of the 1 channels, got 3 means"):
        NormalisedFunction(function, [0.1] * 3, [0.2] * 3)(small_images.numpy())
