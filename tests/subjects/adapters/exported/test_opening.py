from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.exported.networks import NETWORKS, Branching, exported
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Want
from unnerve.subjects.adapters.exported.opening import opened_program
from unnerve.subjects.adapters.exported.program import FixedBatch, Program
from unnerve.subjects.adapters.torch_module import TorchModule

pytestmark = pytest.mark.filterwarnings("ignore")
FREED = {("residual", 1), ("residual", 3), ("shared", 1), ("shared", 3)}


def losses(model: TorchModule, x: Tensor) -> Tensor:
    return model.gradient(x, lambda seen, _: seen.logits[:, 0], torch.zeros(len(x)))[1]


@pytest.mark.parametrize("batch", [None, 1, 3])
@pytest.mark.parametrize("name", NETWORKS)
def test_answers_and_gradients_are_the_modules(
    name: str, batch: int | None, small_images: Tensor, tmp_path: Path
) -> None:
    net = NETWORKS[name]().eval()
    opened = opened_program(exported(net, batch, tmp_path / "net.pt2"), "net.pt2")
    ours, theirs = TorchModule(opened.module, "net.pt2", "logits"), TorchModule(net, "net", "logits")
    assert torch.allclose(ours.observe(small_images).logits, theirs.observe(small_images).logits, atol=1e-5)
    assert torch.allclose(losses(ours, small_images), losses(theirs, small_images), atol=1e-5)
    assert opened.shape == (1, 8, 8)
    free = batch is None or (name, batch) in FREED
    assert type(opened.module) is (Program if free else FixedBatch)
    assert opened.batch == (None if free else batch)
    assert (Capability.NEURONS in ours.offers) == free


@pytest.mark.parametrize("name", NETWORKS)
def test_programs_exported_in_training_mode_answer_in_eval_mode(name: str, small_images: Tensor) -> None:
    net = NETWORKS[name]().train()
    opened = opened_program(exported(net, None), "net.pt2")
    expected = TorchModule(net, "net", "logits").observe(small_images)
    seen = TorchModule(opened.module, "net.pt2", "logits").observe(small_images)
    assert torch.allclose(seen.logits, expected.logits, atol=1e-5)


def test_neurons_have_the_values_and_names_of_the_modules(small_images: Tensor) -> None:
    net = NETWORKS["residual"]().eval()
    ours = TorchModule(opened_program(exported(net, 1), "net.pt2").module, "net.pt2", "logits")
    theirs = TorchModule(net, "net", "logits")
    columns = {
        layer.name: ours.observe(small_images, Want.NEURONS).neurons[:, layer.start : layer.start + layer.count]
        for layer in ours.neuron_map(small_images).layers
    }
    seen = theirs.observe(small_images, Want.NEURONS).neurons
    for layer in theirs.neuron_map(small_images).layers:
        assert torch.allclose(columns[layer.name], seen[:, layer.start : layer.start + layer.count], atol=1e-5)
    assert set(columns) - {layer.name for layer in theirs.neuron_map(small_images).layers} == {
        *("block.add", "block.relu_1", "max_pool2d")
    }
    assert [layer.name for layer in ours.neuron_map(small_images).layers if not layer.hidden] == ["fc"]


@pytest.mark.parametrize(
    ("layer_filter", "chosen"),
    [
        ("conv_dense", ["conv1", "block.conv", "fc"]),
        ("no_activation", ["conv1", "block.conv", "block.norm", "block.add", "max_pool2d", "drop", "fc"]),
        ("block.*", ["block.conv", "block.norm", "block.add", "block.relu_1"]),
    ],
)
def test_filters_go_by_what_an_operation_stands_for(layer_filter: str, chosen: list[str], small_images: Tensor) -> None:
    program = opened_program(exported(NETWORKS["residual"]().eval(), None), "net.pt2").module
    model = TorchModule(program, "net.pt2", "logits", layer_filter)
    assert [layer.name for layer in model.neuron_map(small_images).layers] == chosen


def test_layers_that_are_called_twice_count_twice_as_in_a_module(small_images: Tensor) -> None:
    net = NETWORKS["shared"]().eval()
    program = opened_program(exported(net, None), "net.pt2").module
    names = [layer.name for layer in TorchModule(program, "x", "logits").neuron_map(small_images).layers]
    assert names == ["a", "r", "a#2", "r#2", "linear_2", "linear"]
    assert dict(program.named_parameters()).keys() >= {"a.weight", "a.bias", "linear.weight", "linear.bias"}


def test_silenced_neurons(small_images: Tensor) -> None:
    net = NETWORKS["residual"]().eval()
    ours, theirs = (
        TorchModule(one, "net", "logits", "conv_dense") for one in (opened_program(exported(net, 1), "x").module, net)
    )
    masks = (torch.arange(8) % 3 > 0).float().expand(40, 1, 8)
    assert torch.allclose(ours.silenced(small_images, masks), theirs.silenced(small_images, masks), atol=1e-5)


def test_dropout_draws_are_the_modules(small_images: Tensor) -> None:
    net, masks = NETWORKS["residual"]().eval(), Masks(0, tuple(map(str, range(40))), 6)
    for batch in (None, 1):
        ours = TorchModule(opened_program(exported(net, batch), "x").module, "x", "logits")
        assert Capability.DROPOUT in ours.offers
        draws = ours.samples(small_images, masks)
        assert torch.allclose(draws, TorchModule(net, "net", "logits").samples(small_images, masks), atol=1e-5)
        assert not torch.allclose(draws[0], draws[1], atol=1e-3)


def test_a_program_with_branches_answers_without_neurons(small_images: Tensor) -> None:
    net = Branching().eval()
    for batch in (None, 2):
        opened = opened_program(exported(net, batch), "net.pt2")
        assert opened.note.startswith("without neurons: it calls ")
        model = TorchModule(opened.module, "net.pt2", "logits")
        assert Capability.NEURONS not in model.offers
        assert torch.allclose(model.observe(small_images).logits, net(small_images).detach(), atol=1e-5)


def test_a_program_with_branches_must_be_exported_in_eval_mode() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop, self.rest = nn.Dropout(0.5), Branching()

        def forward(self, x: Tensor) -> Tensor:
            found: Tensor = self.rest(self.drop(x))
            return found

    with pytest.raises(InvalidModel, match=r"net\.pt2: exported in training mode; export it after model\.eval\(\)"):
        opened_program(exported(Both().train(), 2), "net.pt2")


def test_several_inputs_are_refused() -> None:
    class Two(nn.Module):
        def forward(self, image: Tensor, mask: Tensor) -> Tensor:
            return (image * mask).flatten(1)

    program = torch.export.export(Two(), (torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8)))
    with pytest.raises(InvalidModel, match="must have one tensor as input, and this program has: image, mask"):
        opened_program(program, "net.pt2")


@pytest.mark.parametrize("batch", [None, 1])
@pytest.mark.parametrize("name", ["residual", "tokens"])
def test_inputs_of_another_shape_are_refused(name: str, batch: int | None) -> None:
    opened = opened_program(exported(NETWORKS[name]().eval(), batch), "net.pt2")
    with pytest.raises(InvalidModel, match=r"^net\.pt2 takes inputs of shape 1 x 8 x 8, got 3 x 32 x 32$"):
        TorchModule(opened.module, "net.pt2").observe(torch.rand(2, 3, 32, 32))
