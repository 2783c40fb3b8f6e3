import pytest
import torch
from torch import Tensor

from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import find, names
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


def logits(of: Classifier, x: Tensor) -> Tensor:
    return of.observe(x).logits


@pytest.mark.parametrize("name", names("zoo model"))
def test_zoo_networks_are_handed_out_in_eval_mode(name: str) -> None:
    made, opened = find("zoo model", name)(), model(f"zoo:{name}?random", normalise="0.5/0.5")
    assert isinstance(opened, TorchModule)
    for module in (made, opened.module):
        assert not any(part.training for part in module.modules())


def test_zoo_names() -> None:
    taken = model("zoo:lenet5?random")
    assert taken.name == "zoo:lenet5?random"
    assert taken.offers == Capability.GRADIENTS | Capability.NEURONS
    assert model("zoo:peacepact-net1?random").observe(torch.zeros(1, 1, 28, 28)).logits.shape == (1, 10)


def test_zoo_networks_have_settings() -> None:
    taken = model("zoo:net2:channels=3,size=32,classes=100?random")
    assert logits(taken, torch.zeros(1, 3, 32, 32)).shape == (1, 100)


@pytest.mark.usefixtures("random_state_stays")
def test_random_weights_are_always_the_same_and_touch_no_global_state() -> None:
    x = torch.full((1, 1, 28, 28), 0.5)
    assert torch.equal(logits(model("zoo:lenet1?random"), x), logits(model("zoo:lenet1?random"), x))


def test_shipped_weights_are_used() -> None:
    x = torch.full((1, 1, 28, 28), 0.5)
    assert not torch.equal(logits(model("zoo:lenet1"), x), logits(model("zoo:lenet1?random"), x))


def test_a_single_untrained_answer_of_the_zoo_is_taken_for_logits() -> None:
    taken = model("zoo:net2:classes=2?random")
    assert all(taken.observe(torch.full((1, 1, 28, 28), shade / 10)).logits.shape == (1, 2) for shade in range(10))
