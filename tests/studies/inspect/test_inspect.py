import json

import numpy as np
import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.studies.inspect.inspect import inspect
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


def test_lenet5() -> None:
    found = inspect(model("zoo:lenet5?random"))
    assert (found.shape, found.classes, found.parameters) == ((1, 28, 28), 10, 107_786)
    assert found.neurons is not None
    assert len(found.neurons) == 268
    assert found.offers == ("gradients", "neurons")
    assert found.throughput > 0


def test_the_summary_is_json() -> None:
    summary = json.loads(json.dumps(inspect(model("zoo:lenet1?random")).summary(), allow_nan=False))
    assert summary["model"] == "zoo:lenet1?random"
    assert (summary["shape"], summary["range"], summary["classes"]) == ([1, 28, 28], [0, 1], 10)
    assert (summary["parameters"], summary["neurons"]) == (7206, 52)
    assert summary["capabilities"] == ["gradients", "neurons"]
    assert [layer["neurons"] for layer in summary["layers"]] == [4, 4, 12, 12, 10, 10]
    assert summary["chosen_by"] == "deepxplore"


def test_the_text_says_the_same() -> None:
    text = inspect(model("zoo:lenet1?random")).text()
    assert "1 x 28 x 28 in [0, 1] -> 10 classes" in text
    assert "answers, gradients, neurons" in text
    assert "parameters: 7,206" in text
    assert "neurons: 52 in 6 layers, chosen by deepxplore" in text


def test_finds_the_shape_by_trying(tiny_model: TorchModule) -> None:
    assert inspect(tiny_model).shape == (1, 8, 8)


def test_takes_the_users_shape() -> None:
    net = TorchModule(nn.Sequential(nn.Flatten(), nn.Linear(30, 5)))
    assert inspect(net, shape=(5, 6)).classes == 5
    with pytest.raises(InvalidModel, match=r"takes none of the usual shapes \(1x28x28, .*\); say which with `shape`"):
        inspect(net)
    with pytest.raises(InvalidModel, match="raised RuntimeError on inputs of shape"):
        inspect(net, shape=(1, 28, 28))
    with pytest.raises(InvalidSetting, match="shape must be positive numbers"):
        inspect(net, shape=(0, 6))


def test_a_black_box_has_answers_only() -> None:
    found = inspect(BlackBox(lambda x: np.tile([0.3, 0.7], (len(x), 1)), "box"), shape=(4,))
    assert (found.offers, found.parameters, found.neurons) == ((), None, None)
    summary = found.summary()
    assert (summary["neurons"], summary["layers"], summary["capabilities"]) == (None, [], [])
    assert "can be asked for: answers\n" in found.text()


@pytest.mark.filterwarnings("ignore")
def test_an_exported_program_has_no_neurons(tiny_net: nn.Sequential) -> None:
    traced = torch.jit.trace(tiny_net, torch.rand(2, 1, 8, 8))
    found = inspect(TorchModule(traced))
    assert (found.shape, found.offers, found.neurons) == ((1, 8, 8), ("gradients",), None)


def test_on_data_with_names_of_classes() -> None:
    box = BlackBox(lambda x: np.tile([0.1, 0.7, 0.2], (len(x), 1)), "box")
    x, y = np.zeros((30, 4), dtype=np.float32), ["cat"] * 20 + ["dog"] * 9 + ["eel"]
    found = inspect(box, (x, y))
    assert found.shape == (4,)
    assert found.data is not None
    assert found.data.confused() == [("cat", "dog", 20), ("eel", "dog", 1)]
    assert "cat for dog (20), eel for dog (1)" in found.text()
    summary = found.summary()
    assert (summary["accuracy"], summary["inputs"]) == (0.3, 30)
    assert "near chance" in summary["warnings"][0]
    assert summary["verbs"]["cover"] == {"works": False, "note": "it shows no neurons"}
    with pytest.raises(InvalidSetting, match="must be that of the data"):
        inspect(box, (x, y), (5,))
