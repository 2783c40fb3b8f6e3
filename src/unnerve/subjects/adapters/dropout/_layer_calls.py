"""Which layers a pass calls, in which order, and how large their feature maps are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any

from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import inner, kind, watchable

__all__ = ["LayerCall", "layer_calls"]

# Tensors of three axes are feature maps only around these; elsewhere they are sequences of tokens.
_LAYERS_OF_1D_MAPS = (nn.Conv1d, nn.MaxPool1d, nn.AvgPool1d, nn.AdaptiveAvgPool1d, nn.AdaptiveMaxPool1d)


@dataclass
class LayerCall:
    """One call of a layer in a pass.

    Parameters
    ----------
    layer : str
    call : int
        1 for the layer's first call.
    has_weights, is_pooling, is_leaf : bool
        Of the layer: whether it has a matrix of weights itself, pools, has no layers inside.
    began, ended : int
        When, counted in beginnings and ends of calls.
    input_size, output_size : int or None
        Pixels a channel of the feature map, 0 without one, None where it cannot be said.
    returns_tensor : bool
        Whether the output is one tensor.
    """

    layer: str
    call: int
    has_weights: bool
    is_pooling: bool
    is_leaf: bool
    began: int
    ended: int = -1
    input_size: int | None = None
    output_size: int | None = None
    returns_tensor: bool = True


def layer_calls(module: nn.Module, run: Callable[[], object]) -> list[LayerCall]:
    """Return the calls of layers during ``run``, in the order in which they began."""
    if not watchable(module):
        raise InvalidModel("dropout cannot be put into an exported program; give the nn.Module it was made of")
    seen: list[LayerCall] = []
    clock = count()
    handles = [
        handle
        for name, layer in inner(module).named_modules()
        if name
        for handle in _recording(name, layer, seen, clock)
    ]
    try:
        run()
    finally:
        for handle in handles:
            handle.remove()
    return seen


def _recording(name: str, layer: nn.Module, seen: list[LayerCall], clock: Iterator[int]) -> list[Any]:
    unfinished: list[LayerCall] = []  # several, if a layer calls itself

    def begin(_module: nn.Module, inputs: tuple[object, ...]) -> None:
        call = LayerCall(
            layer=name,
            call=1 + sum(earlier.layer == name for earlier in seen),
            has_weights=any(one is not None and one.ndim > 1 for one in layer._parameters.values()),
            is_pooling="Pool" in kind(layer).__name__,
            is_leaf=not list(layer.children()),
            began=next(clock),
            input_size=_map_size(layer, inputs[0] if inputs else None),
        )
        seen.append(call)
        unfinished.append(call)

    def end(_module: nn.Module, _inputs: object, output: object) -> None:
        call = unfinished.pop()
        call.ended, call.output_size, call.returns_tensor = (
            next(clock),
            _map_size(layer, output),
            isinstance(output, Tensor),
        )

    return [layer.register_forward_pre_hook(begin), layer.register_forward_hook(end)]


def _map_size(layer: nn.Module, value: object) -> int | None:
    if not isinstance(value, Tensor):
        return None
    if value.ndim > 3 or (value.ndim == 3 and issubclass(kind(layer), _LAYERS_OF_1D_MAPS)):
        return prod(value.shape[2:])
    return 0 if value.ndim == 2 else None
