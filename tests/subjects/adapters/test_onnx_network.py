import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn

from tests.subjects.adapters.onnx_files import tiny_onnx, written
from unnerve.core.errors import InvalidModel, MissingExtra
from unnerve.subjects.adapters.onnx_network import OnnxNetwork


def expected(net: nn.Module, x: Tensor) -> np.ndarray:
    with torch.no_grad():
        answer: np.ndarray = net(x).numpy()
        return answer


@pytest.mark.parametrize("batch", ["batch", 1, 3, 64])
@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_answers_as_the_module_does_for_any_or_a_fixed_batch(
    tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor, batch: int | str, count: int
) -> None:
    network = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net, batch))
    assert network.batch == (None if batch == "batch" else batch)
    assert network.expected.shape == (1, 8, 8)
    answer = network(small_images[:count].numpy())["logits"]
    assert np.allclose(answer, expected(tiny_net, small_images[:count]), atol=1e-5)


def test_an_input_alone_gets_the_bits_it_gets_in_company(
    tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor
) -> None:
    network = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net))
    together = network(small_images.numpy())["logits"]
    for row in range(0, 40, 7):
        assert np.array_equal(network(small_images[row : row + 1].numpy())["logits"], together[row : row + 1])


def test_half_precision(tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor) -> None:
    network = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net, kind=TensorProto.FLOAT16))
    assert np.allclose(network(small_images.numpy())["logits"], expected(tiny_net, small_images), atol=0.05)


def test_threads_are_torchs(tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor) -> None:
    network, before = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net)), torch.get_num_threads()
    try:
        for threads in (2, 1):
            torch.set_num_threads(threads)
            network(small_images.numpy())
            assert network._session.get_session_options().intra_op_num_threads == threads
    finally:
        torch.set_num_threads(before)


def test_travels_to_other_processes(tmp_path: Path, tiny_net: nn.Sequential, small_images: Tensor) -> None:
    network = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net))
    other = pickle.loads(pickle.dumps(network))  # noqa: S301 - our own
    assert np.array_equal(other(small_images.numpy())["logits"], network(small_images.numpy())["logits"])


def test_images_are_laid_flat_for_a_network_that_takes_rows(tmp_path: Path, small_images: Tensor) -> None:
    sides = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 64])
    node = helper.make_node("Softmax", ["x"], ["y"])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 64])
    network = OnnxNetwork(written(tmp_path / "net.onnx", [node], [sides], [out]))
    assert network(small_images.numpy())["y"].shape == (40, 64)
    with pytest.raises(InvalidModel, match=r"net\.onnx takes inputs of shape 64, got 1 x 4 x 4"):
        network(small_images[:, :, :4, :4].numpy())


def test_inputs_of_another_shape_are_refused(tmp_path: Path, tiny_net: nn.Sequential) -> None:
    network = OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net))
    with pytest.raises(InvalidModel, match=r"net\.onnx takes inputs of shape 1 x 8 x 8, got 3 x 32 x 32$"):
        network(np.zeros((2, 3, 32, 32), dtype=np.float32))


def test_several_inputs_are_refused(tmp_path: Path) -> None:
    sides = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 4]) for name in ("image", "mask")]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 4])
    path = written(tmp_path / "net.onnx", [helper.make_node("Add", ["image", "mask"], ["y"])], sides, [out])
    with pytest.raises(InvalidModel, match=r"must have one input, and this network has 2: image, mask$"):
        OnnxNetwork(path)


def test_inputs_that_are_no_floating_point_numbers_are_refused(tmp_path: Path) -> None:
    sides = helper.make_tensor_value_info("x", TensorProto.UINT8, [None, 4])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 4])
    node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    with pytest.raises(InvalidModel, match=r"must be floating-point numbers, got tensor\(uint8\)"):
        OnnxNetwork(written(tmp_path / "net.onnx", [node], [sides], [out]))


@pytest.mark.parametrize("content", [b"", b"this is no network " * 50])
def test_garbage_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    with pytest.raises(InvalidModel, match=r"net\.onnx: onnxruntime cannot open it: ") as error:
        OnnxNetwork(path)
    assert "\n" not in str(error.value)


def test_a_missing_package_names_the_extra(
    tmp_path: Path, tiny_net: nn.Sequential, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r'pip install "unnerve\[onnx\]"'):
        OnnxNetwork(tiny_onnx(tmp_path / "net.onnx", tiny_net))
