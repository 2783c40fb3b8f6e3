"""What distillation and label_smoothing have in common: new models of the same make."""

from typing import Any

import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.mend.defences.distillation import Distillation
from unnerve.mend.defences.label_smoothing import LabelSmoothing
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_images, tiny_model, tiny_net

DATA = tensors(small_images(), tiny_model().observe(small_images()).predicted, classes="abcd", name="small")


@pytest.mark.parametrize("defence", [Distillation(epochs=150, rate=0.01), LabelSmoothing(epochs=150, rate=0.01)])
def test_a_new_model_learns_and_the_old_one_stays(defence: Any) -> None:
    model = tiny_model()
    before = model.identity((1, 8, 8))
    state = torch.get_rng_state()
    one, two = (defence.hardened(model, DATA) for _ in range(2))
    assert model.identity((1, 8, 8)) == before != one.identity((1, 8, 8))
    assert torch.equal(torch.get_rng_state(), state)
    assert one.observe(small_images()).logits.equal(two.observe(small_images()).logits)
    right = one.observe(small_images()).predicted == torch.from_numpy(DATA.labels)
    assert float(right.float().mean()) > 0.8


@pytest.mark.parametrize("defence", [Distillation(), LabelSmoothing()])
def test_only_modules_can_be_trained(defence: Any) -> None:
    box = BlackBox(lambda rows: torch.full((len(rows), 4), 0.25).numpy(), "box")
    with pytest.raises(InvalidModel, match=r"trains a copy of the model: it needs an nn\.Module, and box is none$"):
        defence.hardened(box, DATA)


@pytest.mark.parametrize("defence", [Distillation(), LabelSmoothing()])
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_torchscript_program_is_refused(defence: Any) -> None:
    script = TorchModule(torch.jit.trace(tiny_net(), small_images()), "script", "logits")
    with pytest.raises(InvalidModel, match=r"new weights, which script, a TorchScript program, cannot be given$"):
        defence.hardened(script, DATA)


class Scaled(nn.Module):
    """A network with a weight of its own, which no layer of torch draws anew."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.net = tiny_net()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        answers: torch.Tensor = self.net(self.scale * x)
        return answers


def test_weights_that_cannot_be_drawn_anew_are_named() -> None:
    said = r"^distillation starts from new weights: the model \(Scaled\) in mine has weights and no method"
    with pytest.raises(InvalidModel, match=said):
        Distillation().hardened(TorchModule(Scaled(), "mine", "logits"), DATA)
