"""Small ONNX files, made by hand."""

from collections.abc import Sequence
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

__all__ = ["tiny_onnx", "written"]


def tiny_onnx(path: Path, net: nn.Sequential, batch: int | str = "batch", kind: int = TensorProto.FLOAT) -> Path:
    """Write the tests' tiny network, (N, 1, 8, 8) -> (N, 4), for any or for a fixed number of inputs."""
    weights = [
        numpy_helper.from_array(
            tensor.detach().numpy().astype(helper.tensor_dtype_to_np_dtype(kind)), name.replace(".", "_")
        )
        for name, tensor in net.state_dict().items()
    ]
    nodes = [
        helper.make_node("Conv", ["image", "0_weight", "0_bias"], ["maps"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["maps"], ["rectified"]),
        helper.make_node("MaxPool", ["rectified"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Gemm", ["flat", "4_weight", "4_bias"], ["logits"], transB=1),
    ]
    inputs = [helper.make_tensor_value_info("image", kind, [batch, 1, 8, 8])]
    outputs = [helper.make_tensor_value_info("logits", kind, [batch, 4])]
    return written(path, nodes, inputs, outputs, weights)


def written(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    weights: Sequence[onnx.TensorProto] = (),
) -> Path:
    """Write a graph and return its path."""
    graph = helper.make_graph(list(nodes), "graph", list(inputs), list(outputs), list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path
