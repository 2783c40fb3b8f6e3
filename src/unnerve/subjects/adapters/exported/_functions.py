"""The functions that an exported program calls: by name, so that they can be sent to other processes."""

import math
import operator
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import torch
from torch import nn

__all__ = ["DROPOUT", "function_named", "is_plain", "kind_named", "name_of", "operation"]

_MODULES: Mapping[str, ModuleType] = {"operator": operator, "_operator": operator, "math": math, "torch": torch}

_PLAIN = {
    *("view", "reshape", "_unsafe_view", "flatten", "unflatten", "permute", "transpose", "movedim", "t", "mT"),
    *("unsqueeze", "squeeze", "expand", "expand_as", "contiguous", "clone", "alias", "detach", "to", "_to_copy"),
    *("slice", "select", "narrow", "split", "split_with_sizes", "chunk", "unbind", "index_select", "type_as"),
    *("lift_fresh_copy", "view_as", "reshape_as", "numpy_T", "adjoint", "swapaxes", "copy"),
    *("zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty"),
}
"""Operations that only lay numbers out anew, or fill memory: no neurons of their own, as for Flatten."""

DROPOUT = {"dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout", "native_dropout"}

_KINDS: Mapping[str, type[nn.Module]] = {
    "conv1d": nn.Conv1d,
    "conv2d": nn.Conv2d,
    "conv3d": nn.Conv3d,
    "conv_transpose1d": nn.ConvTranspose1d,
    "conv_transpose2d": nn.ConvTranspose2d,
    "conv_transpose3d": nn.ConvTranspose3d,
    "convolution": nn.Conv2d,
    "linear": nn.Linear,
    "addmm": nn.Linear,
    "batch_norm": nn.BatchNorm2d,
    "_native_batch_norm_legit_no_training": nn.BatchNorm2d,
    "layer_norm": nn.LayerNorm,
    "native_layer_norm": nn.LayerNorm,
    "group_norm": nn.GroupNorm,
    "max_pool1d": nn.MaxPool1d,
    "max_pool2d": nn.MaxPool2d,
    "max_pool2d_with_indices": nn.MaxPool2d,
    "max_pool3d": nn.MaxPool3d,
    "avg_pool1d": nn.AvgPool1d,
    "avg_pool2d": nn.AvgPool2d,
    "avg_pool3d": nn.AvgPool3d,
    "adaptive_avg_pool1d": nn.AdaptiveAvgPool1d,
    "adaptive_avg_pool2d": nn.AdaptiveAvgPool2d,
    "_adaptive_avg_pool2d": nn.AdaptiveAvgPool2d,
    "adaptive_max_pool2d": nn.AdaptiveMaxPool2d,
    "relu": nn.ReLU,
    "hardtanh": nn.ReLU6,
    "leaky_relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "selu": nn.SELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "mish": nn.Mish,
    "hardswish": nn.Hardswish,
    "hardsigmoid": nn.Hardsigmoid,
    "softplus": nn.Softplus,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "softmax": nn.Softmax,
    "_softmax": nn.Softmax,
    "log_softmax": nn.LogSoftmax,
    "_log_softmax": nn.LogSoftmax,
    "dropout": nn.Dropout,
}
"""Operations -> the layer that does the same, for those that no layer of torch called."""


def name_of(function: Any) -> str | None:
    """Return the name of a function of a program, such as ``aten.relu.default``; None if it has none that lasts."""
    if isinstance(function, torch._ops.OpOverload):
        return str(function)
    home, name = str(getattr(function, "__module__", "")), str(getattr(function, "__name__", ""))
    return f"{home}:{name}" if home in _MODULES and hasattr(_MODULES[home], name) else None


@cache
def function_named(name: str) -> Callable[..., Any]:
    """Return the function of a name."""
    home, _, own = name.partition(":")
    if own:
        found: Callable[..., Any] = getattr(_MODULES[home], own)
        return found
    namespace, packet, overload = name.split(".")
    return operator.attrgetter(f"{namespace}.{packet}.{overload}")(torch.ops)  # type: ignore[no-any-return]


def operation(name: str) -> str:
    """Return what a function does, without where it comes from and which variant it is: ``relu``."""
    return name.partition(":")[2] or name.split(".")[1].rstrip("_")


def is_plain(name: str) -> bool:
    """Say whether a function only lays numbers out anew, or is no operation on tensors."""
    return ":" in name or operation(name) in _PLAIN


@cache
def kind_named(name: str, layer: str | None) -> type[nn.Module]:
    """Return the layer that an operation stands for.

    Parameters
    ----------
    name : str
        Of the function.
    layer : str or None
        The class of the layer that called it and nothing else: ``torch.nn.modules.conv.Conv2d``.
    """
    home, _, own = (layer or "").rpartition(".")
    found = getattr(nn, own, None) if home.startswith("torch.nn.") else None
    if isinstance(found, type) and issubclass(found, nn.Module):
        return found
    return _KINDS.get(operation(name), nn.Module)
