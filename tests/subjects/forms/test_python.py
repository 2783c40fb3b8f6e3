import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model

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

def needy(classes, width):
    return Net(classes)

def sized(classes):
    return Net(len(classes))

def failing_sized(classes):
    return Net(classes)

def failing():
    raise OSError("the weights are gone")

number = 7
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(PYTHON)
    return path


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
    assert torch.allclose(seen.probabilities[:, 0].float(), small_images.mean(dim=(1, 2, 3)), atol=1e-5)


def test_modules_by_their_dotted_name() -> None:
    taken = model("unnerve.subjects.zoo.lenet5:lenet5")
    assert taken.observe(torch.zeros(1, 1, 28, 28)).logits.shape == (1, 10)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("failing", "{python}:failing raised OSError: the weights are gone"),
        ("needy", "{python}:needy needs classes and width; write a function without arguments that returns the model"),
        ("number", "{python}:number must be an nn.Module, a callable or an estimator, got int"),
        ("nothing", "{python} has no 'nothing'; it has Net, factory, "),
    ],
)
def test_what_is_wrong_with_a_name(python: Path, name: str, words: str) -> None:
    with pytest.raises(InvalidModel) as error:
        model(f"{python}:{name}")
    assert str(error.value).startswith(words.format(python=python))


@pytest.mark.parametrize("name", ["sized", "failing_sized"])
def test_a_function_that_builds_from_an_argument_is_told_from_one_that_answers(
    python: Path, small_images: Tensor, name: str
) -> None:
    hint = (
        r"it takes an argument, so it was given inputs of shape \(40, 1, 8, 8\); one that builds a model must need none"
    )
    with pytest.raises(InvalidModel, match=hint):
        model(f"{python}:{name}").observe(small_images)


# Neighbours

NET = """
from torch import nn
from layers import WIDTH
from parts.head import head

def build():
    import late
    return nn.Sequential(nn.Flatten(), nn.Linear(64, WIDTH), head(WIDTH), late.last())
"""


def folder(path: Path, width: int) -> str:
    (path / "parts").mkdir(parents=True)
    (path / "net.py").write_text(NET)
    (path / "layers.py").write_text(f"WIDTH = {width}\n")
    (path / "parts" / "__init__.py").write_text("")
    (path / "parts" / "head.py").write_text("from torch import nn\ndef head(width): return nn.Linear(width, 3)\n")
    (path / "late.py").write_text("from torch import nn\ndef last(): return nn.Identity()\n")
    return f"{path / 'net.py'}:build"


def test_a_file_may_import_its_neighbours_and_leaves_no_trace(tmp_path: Path, small_images: Tensor) -> None:
    path, modules = list(sys.path), {"layers", "parts", "parts.head", "late"} & set(sys.modules)
    assert model(folder(tmp_path / "one", 5)).observe(small_images).logits.shape == (40, 3)
    assert sys.path == path
    assert {"layers", "parts", "parts.head", "late"} & set(sys.modules) == modules


def test_two_folders_have_neighbours_of_their_own(tmp_path: Path) -> None:
    for width in (5, 7):
        taken = model(folder(tmp_path / str(width), width))
        assert isinstance(taken, TorchModule)
        assert isinstance(taken.module, nn.Sequential)
        assert taken.module[1].out_features == width


def test_a_file_that_fails_leaves_the_path_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import nowhere_to_be_found\n")
    path = list(sys.path)
    with pytest.raises(InvalidModel, match="No module named 'nowhere_to_be_found'"):
        model(f"{tmp_path / 'net.py'}:build")
    assert sys.path == path
