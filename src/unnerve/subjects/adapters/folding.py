"""A copy of a module whose batch norms are part of the convolutions before them: one function, fewer operations."""

import weakref
from collections import Counter
from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._layers import inner, is_compiled, leaves, watchable

__all__ = ["folded"]

_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def folded(module: nn.Module, example: Tensor) -> nn.Module | None:
    """Return such a copy, or None if there is nothing to fold or the module cannot be copied.

    A batch norm is folded if it is called once, with what a convolution that is called once has returned. That nothing
    else is done with the convolution's output is for the caller to check, by comparing answers.

    Parameters
    ----------
    module : nn.Module
        In eval mode.
    example : Tensor of shape (N, ...)
        Inputs for one pass.
    """
    if not watchable(module) or is_compiled(module):
        return None
    pairs = _pairs(inner(module), lambda: module(example))
    if not pairs:
        return None
    try:
        copy = deepcopy(module)
    # Modules are somebody's code, and not all can be copied.
    except Exception:
        return None
    for convolution, norm in pairs.items():
        _fold(inner(copy), convolution, norm)
    return copy


def _pairs(module: nn.Module, run: Callable[[], object]) -> dict[str, str]:
    """Return the convolutions by name, and the batch norm that each of them ends in."""
    names = {layer: name for name, layer in leaves(module).items() if _can_be_folded(layer)}
    if not {type(layer) for layer in names} & set(_NORMS):
        return {}
    calls: Counter[str] = Counter()
    returned: dict[str, tuple[weakref.ref[Tensor], int]] = {}
    found: dict[str, str] = {}

    def record(layer: nn.Module, given: tuple[object, ...], output: object) -> None:
        name = names[layer]
        calls[name] += 1
        if isinstance(output, Tensor) and type(layer) in _CONVOLUTIONS:
            # Weak, so that large feature maps are freed.
            returned[name] = (weakref.ref(output), output._version)
        if type(layer) in _NORMS:
            found.update({before: name for before, last in returned.items() if _is_given(given, *last)})

    handles = [layer.register_forward_hook(record) for layer in names]
    try:
        run()
    finally:
        for handle in handles:
            handle.remove()
    return {before: name for before, name in found.items() if calls[before] == calls[name] == 1}


def _is_given(given: tuple[object, ...], last: weakref.ref[Tensor], version: int) -> bool:
    """Say whether a call is given what was returned, unchanged since."""
    first = given[0] if given else None
    return isinstance(first, Tensor) and first is last() and first._version == version


def _can_be_folded(layer: nn.Module) -> bool:
    """Say whether a layer does what its class does, and nothing else that somebody has hooked to it."""
    if layer._forward_hooks or layer._forward_pre_hooks or layer._backward_hooks or layer._backward_pre_hooks:
        return False
    return type(layer) in _CONVOLUTIONS or (type(layer) in _NORMS and layer.running_mean is not None)


def _fold(module: nn.Module, convolution: str, norm: str) -> None:
    before, after = module.get_submodule(convolution), module.get_submodule(norm)
    assert isinstance(before, _CONVOLUTIONS)
    assert isinstance(after, _NORMS)
    assert after.running_mean is not None
    assert after.running_var is not None
    with torch.no_grad():
        # In double precision: only the result is rounded.
        mean, variance = after.running_mean.double(), after.running_var.double()
        slope = (variance + after.eps).rsqrt() * (1 if after.weight is None else after.weight.double())
        shift = 0 if after.bias is None else after.bias.double()
        bias = 0 if before.bias is None else before.bias.double()
        weight = before.weight.double() * slope.reshape(-1, *[1] * (before.weight.ndim - 1))
        kind = before.weight.dtype
        before.weight = nn.Parameter(weight.to(kind), requires_grad=False)
        before.bias = nn.Parameter(((bias - mean) * slope + shift).to(kind), requires_grad=False)
    parent, _, last = norm.rpartition(".")
    setattr(module.get_submodule(parent), last, nn.Identity())
