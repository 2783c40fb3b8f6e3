from pathlib import Path

import pytest
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn

from tests.subjects.adapters.onnx_files import tiny_onnx, written
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Capability
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.models import model


def test_opens_a_file_as_a_black_box(tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor) -> None:
    path = tiny_onnx(tmp_path / "net.onnx", tiny_net, 2)
    taken = model(path)
    assert isinstance(taken, BlackBox)
    assert taken.offers == Capability.ANSWERS
    assert taken.name == str(path)
    assert taken.declared.form == "ONNX network, 2 at a time"
    assert taken.declared.shape == (1, 8, 8)
    assert torch.allclose(taken.observe(small_images).logits, model(tiny_net).observe(small_images).logits, atol=1e-5)


def test_is_normalised_as_a_module_is(tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor) -> None:
    path = tiny_onnx(tmp_path / "net.onnx", tiny_net)
    box, module = (model(one, normalise="0.13/0.31", outputs="logits") for one in (path, tiny_net))
    assert torch.allclose(box.observe(small_images).logits, module.observe(small_images).logits, atol=1e-4)


def test_has_no_other_weights(tmp_path: Path, tiny_net: nn.Sequential) -> None:
    path = tiny_onnx(tmp_path / "net.onnx", tiny_net)
    with pytest.raises(InvalidSetting, match="holds its own weights"):
        model(path, weights=path)
    with pytest.raises(InvalidSetting, match=r"need an nn\.Module, got .*net\.onnx \(ONNX network, any number"):
        model(path, neurons="conv*")


def test_one_of_several_outputs(tmp_path: Path, small_images: Tensor) -> None:
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 1, 8, 8])
    flat = helper.make_node("Flatten", ["x"], ["features"])
    head = helper.make_node("Softmax", ["features"], ["head"])
    outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 64]) for name in ("features", "head")]
    path = written(tmp_path / "net.onnx", [flat, head], [given], outs)
    with pytest.raises(InvalidModel, match=r"returns features \(40, 64\), head \(40, 64\), and each could be"):
        model(path).observe(small_images)
    seen = model(path, outputs="head:auto").observe(small_images)
    assert torch.allclose(seen.probabilities.float(), small_images.flatten(1).softmax(dim=1), atol=1e-5)


def test_a_missing_file() -> None:
    with pytest.raises(InvalidModel, match=r"^no such file: nowhere\.onnx$"):
        model("nowhere.onnx")
