from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting, UnknownName
from unnerve.core.model import Capability, Classifier, Want
from unnerve.core.naming.catalogue import find, names
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import Normalised, model
from unnerve.subjects.zoo.lenet5 import lenet5

PYTHON = """
import numpy as np
from torch import nn

class Net(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.dense = nn.Linear(64, classes)

    def forward(self, x):
        return self.dense(x.flatten(1))

def factory():
    return Net(5)

instance = Net(4)

def bright(x):
    mean = x.mean(axis=(1, 2, 3))
    return np.stack([mean, 1 - mean], axis=1)

def maker_of_a_function():
    return bright

def failing():
    raise OSError("the weights are gone")

number = 7
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(PYTHON)
    return path


def logits(of: Classifier, x: Tensor) -> Tensor:
    return of.observe(x).logits


# Names


def test_zoo_names() -> None:
    taken = model("zoo:lenet5?random")
    assert taken.name == "zoo:lenet5?random"
    assert taken.offers == Capability.GRADIENTS | Capability.NEURONS
    assert model("zoo:peacepact-net1?random").observe(torch.zeros(1, 1, 28, 28)).logits.shape == (1, 10)


def test_zoo_networks_have_settings() -> None:
    taken = model("zoo:net2:channels=3,size=32,classes=100?random")
    assert logits(taken, torch.zeros(1, 3, 32, 32)).shape == (1, 100)


@pytest.mark.parametrize("name", names("zoo model"))
def test_zoo_networks_are_handed_out_in_eval_mode(name: str) -> None:
    made, opened = find("zoo model", name)(), model(f"zoo:{name}?random", normalise="0.5/0.5")
    assert isinstance(opened, TorchModule)
    for module in (made, opened.module):
        assert not any(part.training for part in module.modules())


@pytest.mark.usefixtures("random_state_stays")
def test_random_weights_are_always_the_same_and_touch_no_global_state() -> None:
    x = torch.full((1, 1, 28, 28), 0.5)
    assert torch.equal(logits(model("zoo:lenet1?random"), x), logits(model("zoo:lenet1?random"), x))


def test_shipped_weights_are_used() -> None:
    x = torch.full((1, 1, 28, 28), 0.5)
    assert not torch.equal(logits(model("zoo:lenet1"), x), logits(model("zoo:lenet1?random"), x))


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("zoo:lenet6?random", UnknownName, "unknown zoo model 'lenet6'; did you mean lenet"),
        ("zoo:LeNet-5", UnknownName, "unknown zoo model 'lenet_5'; did you mean lenet5"),
        ("zoo:lenet5?untrained", InvalidModel, "after '?' only 'random' is known, got 'untrained'"),
        ("zoo:net1", InvalidModel, "zoo:net1 ships without weights; give `weights` FILE, or zoo:net1?random"),
        ("zoo:", InvalidSetting, "must be NAME or NAME:key=value"),
        ("lenet5", InvalidModel, "a model must be zoo:NAME, FILE.py:callable"),
        ("model.h5", InvalidModel, "a model must be zoo:NAME, FILE.py:callable"),
        ("nowhere.py:net", InvalidModel, "no such file: nowhere.py"),
        ("no_such_package.here:net", InvalidModel, "importing no_such_package.here raised ModuleNotFoundError"),
        ("torch.nn:NoNet", InvalidModel, "torch.nn has no 'NoNet'; it has "),
        ("torch.nn:Linear", InvalidModel, "torch.nn:Linear needs arguments; write a function without any"),
        ("hf:bert", InvalidModel, "a model must be zoo:NAME, FILE.py:callable"),
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


def test_refuses_what_cannot_answer() -> None:
    with pytest.raises(InvalidModel, match=r"a model must be an nn.Module or a callable, got int"):
        model(7)


def test_passes_on_what_the_outputs_are(small_images: Tensor) -> None:
    flat = nn.Flatten()
    with pytest.raises(InvalidModel, match="`outputs`"):
        model(flat).observe(small_images)
    assert torch.equal(model(flat, outputs="logits").observe(small_images).logits, small_images.flatten(1))


# Python files


@pytest.mark.parametrize(
    ("name", "classes"), [("factory", 5), ("instance", 4), ("Net", 3), ("bright", 2), ("maker_of_a_function", 2)]
)
def test_python_files(python: Path, small_images: Tensor, name: str, classes: int) -> None:
    taken = model(f"{python}:{name}")
    assert taken.observe(small_images).logits.shape == (40, classes)
    assert taken.name == f"{python}:{name}"
    assert isinstance(taken, BlackBox if classes == 2 else TorchModule)


def test_a_black_box_of_a_file_answers(python: Path, small_images: Tensor) -> None:
    seen = model(f"{python}:bright").observe(small_images)
    assert torch.allclose(seen.probabilities[:, 0], small_images.mean(dim=(1, 2, 3)), atol=1e-5)


def test_modules_by_their_dotted_name() -> None:
    assert logits(model("unnerve.subjects.zoo.lenet5:lenet5"), torch.zeros(1, 1, 28, 28)).shape == (1, 10)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("failing", "{python}:failing raised OSError: the weights are gone"),
        ("number", "a model must be an nn.Module or a callable, got int"),
        ("nothing", "{python} has no 'nothing'; it has Net, factory, "),
    ],
)
def test_what_is_wrong_with_a_name(python: Path, name: str, words: str) -> None:
    with pytest.raises(InvalidModel) as error:
        model(f"{python}:{name}")
    assert str(error.value).startswith(words.format(python=python))


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


def test_functions_have_no_weights(python: Path, tmp_path: Path) -> None:
    sources: list[str | Callable[..., object]] = [f"{python}:bright", lambda x: x]
    for source in sources:
        for more in (
            {"weights": tmp_path / "x.pt"},
            {"normalise": ([0.5], [0.5])},
            {"device": "cpu"},
            {"neurons": "conv*"},
        ):
            with pytest.raises(InvalidSetting, match=r"weights, normalise, device and neurons need an nn\.Module"):
                model(source, **more)


# Exported programs


@pytest.mark.filterwarnings("ignore")
def test_torchscript(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.jit.save(torch.jit.trace(tiny_net, small_images[:2]), str(path))
    for source in (path, str(path)):
        taken = model(source)
        assert torch.allclose(logits(taken, small_images), logits(model(tiny_net), small_images), atol=1e-6)
        assert taken.name == str(path)
        assert taken.offers == Capability.GRADIENTS
        with pytest.raises(InvalidModel, match="layers of an exported program cannot be watched"):
            taken.observe(small_images, Want.NEURONS)
    with pytest.raises(InvalidSetting, match="holds its own weights"):
        model(path, weights=path)


@pytest.mark.filterwarnings("ignore")
def test_exported_programs(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    batch = torch.export.Dim("batch")
    torch.export.save(torch.export.export(tiny_net, (small_images[:4],), dynamic_shapes=({0: batch},)), path)
    taken = model(path)
    assert isinstance(taken, TorchModule)
    assert taken.offers == Capability.GRADIENTS
    with pytest.raises(InvalidModel, match="layers of an exported program cannot be watched"):
        taken.neuron_map(small_images)
    for count in (1, 40):
        expected = logits(model(tiny_net), small_images[:count])
        assert torch.allclose(logits(taken, small_images[:count]), expected, atol=1e-6)
    _, gradients, _ = taken.gradient(small_images, lambda seen, _: seen.logits[:, 0], torch.zeros(40))
    assert bool(gradients.any())


@pytest.mark.filterwarnings("ignore")
def test_a_program_exported_for_one_batch_size_says_so(
    tiny_net: nn.Module, small_images: Tensor, tmp_path: Path
) -> None:
    torch.export.save(torch.export.export(tiny_net, (small_images[:1],)), tmp_path / "net.pt2")
    with pytest.raises(InvalidModel, match=r"net\.pt2 raised .* on inputs of shape \(2, 1, 8, 8\): .*1"):
        model(tmp_path / "net.pt2").observe(small_images)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["garbage.pt", "garbage.pt2", "empty.pt", "empty.pt2"])
def test_garbage_is_one_clear_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"" if name.startswith("empty") else b"this is no model, " * 50)
    with pytest.raises(InvalidModel, match=rf"^{path}: must be a model saved .*, but it cannot be read so$") as error:
        model(path)
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore")
def test_a_state_dict_is_no_model(tmp_path: Path, tiny_net: nn.Module) -> None:
    torch.save(tiny_net.state_dict(), tmp_path / "weights.pt")
    with pytest.raises(InvalidModel, match=r"saved as TorchScript \(weights alone go to `weights`\)"):
        model(tmp_path / "weights.pt")


# Normalisation and device


def test_normalise_is_what_one_would_do_by_hand(small_images: Tensor) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Flatten(), nn.Linear(192, 3))
    x = small_images.repeat(1, 3, 1, 1)
    taken = model(net, normalise=([0.4, 0.5, 0.6], [0.1, 0.2, 0.3]))
    by_hand = (x - torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1)) / torch.tensor([0.1, 0.2, 0.3]).view(1, 3, 1, 1)
    with torch.no_grad():
        assert torch.allclose(logits(taken, x), net(by_hand), atol=1e-5)
    assert taken.name == "Sequential"


def test_one_value_normalises_every_channel(tiny_net: nn.Module, small_images: Tensor) -> None:
    taken = model(tiny_net, normalise=([0.13], [0.31]))
    with torch.no_grad():
        assert torch.allclose(logits(taken, small_images), tiny_net((small_images - 0.13) / 0.31), atol=1e-5)


def test_refuses_means_for_other_channels(tiny_net: nn.Module, small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match="3 means for normalisation, but 1 channels"):
        model(tiny_net, normalise=([0.1] * 3, [0.2] * 3)).observe(small_images)


def test_a_single_untrained_answer_of_the_zoo_is_taken_for_logits() -> None:
    taken = model("zoo:net2:classes=2?random")
    assert all(taken.observe(torch.full((1, 1, 28, 28), shade / 10)).logits.shape == (1, 2) for shade in range(10))


def test_normalising_does_not_change_which_neurons_count() -> None:
    taken = model("zoo:lenet5?random", normalise=([0.13], [0.31]))
    assert isinstance(taken, TorchModule)
    assert len(taken.neuron_map(torch.zeros(1, 1, 28, 28))) == 268


def test_which_neurons_count_is_said_when_a_model_is_taken(tiny_model: TorchModule) -> None:
    taken = model("zoo:lenet5?random", neurons="conv_dense")
    assert isinstance(taken, TorchModule)
    assert len(taken.neuron_map(torch.zeros(1, 1, 28, 28))) == 236
    with pytest.raises(InvalidModel, match="no layer matches 'dense'; layers are: conv1, relu1, "):
        model("zoo:lenet5?random", neurons="dense")
    with pytest.raises(InvalidSetting, match="tiny was taken already"):
        model(tiny_model, neurons="conv_dense")


@pytest.mark.parametrize(
    ("mean", "std"), [([0.5], [0.0]), ([0.5], [-1.0]), ([0.5, 0.5], [1.0]), ([0.5], [float("nan")])]
)
def test_refuses_strange_normalisation(tiny_net: nn.Module, mean: list[float], std: list[float]) -> None:
    with pytest.raises(InvalidSetting, match="normalise must give as many means as positive deviations"):
        Normalised(tiny_net, mean, std)


def test_device(tiny_net: nn.Module, small_images: Tensor) -> None:
    assert torch.equal(logits(model(tiny_net, device="cpu"), small_images), logits(model(tiny_net), small_images))


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_refuses_a_device_that_is_not_there(tiny_net: nn.Module, device: str) -> None:
    with pytest.raises(InvalidSetting, match=f"^device '{device}' cannot be used here: .*$") as error:
        model(tiny_net, device=device)
    assert "\n" not in str(error.value)
