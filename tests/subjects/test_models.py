from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting, UnknownName
from unnerve.core.model import Capability, Classifier, require
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.core.wrappers.transformed import Transformed
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model
from unnerve.subjects.zoo.lenet5 import lenet5


def logits(of: Classifier, x: Tensor) -> Tensor:
    return of.observe(x).logits


# Names


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("zoo:lenet6?random", UnknownName, "unknown zoo model 'lenet6'; did you mean lenet"),
        ("zoo:LeNet-5", UnknownName, "unknown zoo model 'lenet_5'; did you mean lenet5"),
        ("zoo:lenet5?untrained", InvalidModel, "after '?' only 'random' is known, got 'untrained'"),
        ("zoo:net1", InvalidModel, "zoo:net1 ships without weights; give `weights` FILE, or zoo:net1?random"),
        ("zoo:", InvalidSetting, "must be NAME or NAME:key=value"),
        ("lenet5", InvalidModel, "a model must be zoo:NAME, "),
        ("model.h5", InvalidModel, "a model must be zoo:NAME, "),
        ("nowhere.py:net", InvalidModel, "no such file: nowhere.py"),
        ("no_such_package.here:net", InvalidModel, "importing no_such_package.here raised ModuleNotFoundError"),
        ("torch.nn:NoNet", InvalidModel, "torch.nn has no 'NoNet'; it has "),
        ("torch.nn:Linear", InvalidModel, "torch.nn:Linear needs in_features and out_features; write a function"),
        ("hf:bert", InvalidModel, "hf:bert: must be a directory with a config.json"),
        ("nowhere.pt", InvalidModel, "no such file: nowhere.pt"),
        ("nowhere.pt2", InvalidModel, "no such file: nowhere.pt2"),
    ],
)
def test_wrong_names_are_one_clear_line(source: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        model(source)
    assert str(error.value).startswith(words)


# Things


def test_takes_a_module_as_it_is(tiny_net: nn.Module) -> None:
    taken = model(tiny_net)
    assert isinstance(taken, TorchModule)
    assert taken.module is tiny_net
    assert taken.name == "Sequential"


def test_takes_a_function() -> None:
    def even(x: np.ndarray) -> np.ndarray:
        return np.full((len(x), 2), 0.5)

    taken = model(even)
    assert isinstance(taken, BlackBox)
    assert taken.name == "even"


def test_takes_what_was_taken_already(tiny_model: TorchModule) -> None:
    assert model(tiny_model) is tiny_model


def test_models_are_shown_in_one_line(tiny_net: nn.Module) -> None:
    assert repr(model(tiny_net)) == f"<TorchModule: {type(tiny_net).__name__}>"
    assert repr(model(lambda x: x)) == "<BlackBox: <lambda>>"
    assert repr(model("zoo:lenet5|jpeg:75")) == "<Transformed: zoo:lenet5|jpeg:75>"


def test_the_transform_is_the_reason_why_there_are_no_gradients() -> None:
    behind = "pgd needs gradients, which zoo:lenet5|jpeg:75 does not offer; no gradient goes through jpeg:75: "
    for subject in (model("zoo:lenet5|jpeg:75"), Metered(model("zoo:lenet5|jpeg:75"), Meter(1))):
        with pytest.raises(InvalidModel) as raised:
            require(subject, Capability.GRADIENTS, "pgd")
        assert str(raised.value) == f"{behind}choose a black-box method, or leave jpeg:75 out"
    # There the model itself is the reason.
    box = Transformed(model(lambda x: x), BitDepth(2), "bit_depth:2")
    with pytest.raises(InvalidModel, match=r"or give an nn\.Module$"):
        require(box, Capability.GRADIENTS, "pgd")


def test_refuses_what_cannot_answer() -> None:
    with pytest.raises(InvalidModel, match=r"a model must be an nn.Module, a callable or an estimator, got int"):
        model(7)


def test_passes_on_what_the_outputs_are(small_images: Tensor) -> None:
    flat = nn.Flatten()
    with pytest.raises(InvalidModel, match="`outputs`"):
        model(flat).observe(small_images)
    assert torch.equal(model(flat, outputs="logits").observe(small_images).logits, small_images.flatten(1))


# Weights


@pytest.fixture
def trained(tmp_path: Path) -> tuple[nn.Module, Callable[[str], Path]]:
    net = lenet5()

    def write(suffix: str) -> Path:
        path = tmp_path / f"weights{suffix}"
        if suffix == ".safetensors":
            save_file(net.state_dict(), path)
        else:
            torch.save(net.state_dict(), path)
        return path

    return net, write


@pytest.mark.parametrize("suffix", [".safetensors", ".pt", ".pth"])
@pytest.mark.parametrize("source", ["zoo:lenet5", "zoo:lenet5?random", "unnerve.subjects.zoo.lenet5:lenet5"])
def test_weights_are_loaded(trained: tuple[nn.Module, Callable[[str], Path]], suffix: str, source: str) -> None:
    net, write = trained
    x = torch.full((1, 1, 28, 28), 0.5)
    with torch.no_grad():
        assert torch.allclose(logits(model(source, weights=write(suffix)), x), net(x), atol=1e-6)


def test_weights_fill_a_module(trained: tuple[nn.Module, Callable[[str], Path]]) -> None:
    net, write = trained
    other = lenet5()
    model(other, weights=str(write(".safetensors")))
    assert torch.equal(other.get_parameter("conv1.weight"), net.get_parameter("conv1.weight"))


def test_functions_have_no_weights(tmp_path: Path) -> None:
    for more in ({"weights": tmp_path / "x.pt"}, {"device": "cpu"}, {"neurons": "conv*"}):
        with pytest.raises(InvalidSetting, match=r"and precision need an nn\.Module, got <lambda>"):
            model(lambda x: x, **more)


# Exported programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["garbage.pt", "garbage.pt2", "empty.pt", "empty.pt2"])
def test_garbage_is_one_clear_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"" if name.startswith("empty") else b"this is no model, " * 50)
    with pytest.raises(InvalidModel, match=rf"^{path}: must be a model saved .*, but it cannot be read so$") as error:
        model(path)
    assert "\n" not in str(error.value)


# Options


def test_which_neurons_count_is_said_when_a_model_is_taken(tiny_model: TorchModule) -> None:
    taken = model("zoo:lenet5?random", neurons="conv_dense")
    assert isinstance(taken, TorchModule)
    assert len(taken.neuron_map(torch.zeros(1, 1, 28, 28))) == 236
    with pytest.raises(InvalidModel, match="no layer matches 'dense'; layers are: conv1, relu1, "):
        model("zoo:lenet5?random", neurons="dense")
    with pytest.raises(InvalidSetting, match="tiny was taken already"):
        model(tiny_model, neurons="conv_dense")


def test_device(tiny_net: nn.Module, small_images: Tensor) -> None:
    assert torch.equal(logits(model(tiny_net, device="cpu"), small_images), logits(model(tiny_net), small_images))


class Elsewhere(nn.Module):
    """Its weights are on another device than its inputs; it remembers where it was given them."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.seen: set[str] = set()

    def forward(self, x: Tensor) -> Tensor:
        self.seen.add(x.device.type)
        return torch.tensor([2.0, 0.0, -1.0]).repeat(len(x), 1)


def test_inputs_go_to_the_weights_and_answers_come_back(small_images: Tensor) -> None:
    net = Elsewhere()
    answers = model(net, device="meta", outputs="logits").observe(small_images).logits
    assert net.seen == {"meta"}
    assert answers.device == small_images.device
    assert torch.equal(answers[0], torch.tensor([2.0, 0.0, -1.0]))


def test_a_device_without_numbers_is_refused(tiny_net: nn.Module, small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match="output must be plain real numbers, got a meta tensor"):
        model(tiny_net, device="meta", outputs="logits").observe(small_images)


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_refuses_a_device_that_is_not_there(tiny_net: nn.Module, device: str) -> None:
    with pytest.raises(InvalidSetting, match=f"^device '{device}' cannot be used here: .*$") as error:
        model(tiny_net, device=device)
    assert "\n" not in str(error.value)
