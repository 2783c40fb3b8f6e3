"""Watching neurons by forward hooks that keep one number per channel and drop the feature map at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from unnerve.core.errors import InvalidModel
from unnerve.core.neurons import Layer, NeuronMap

__all__ = ["DECLARED", "Taps", "chosen", "counts_softmax", "tapped", "watchable"]

DECLARED = "neuron_layers"
"""Attribute that names the layers that count, in calling order; ``softmax`` stands for the probabilities."""

_SILENT = (nn.Flatten, nn.Unflatten, nn.Identity)


class Taps:
    """Values of the chosen layers of one pass, in calling order; their ranges too, if they are wanted."""

    def __init__(self, ranged: bool = False) -> None:
        self.calls: list[tuple[str, Tensor]] = []
        self.extents: list[Tensor] | None = [] if ranged else None

    def neurons(self, logits: Tensor, softmax: bool) -> Tensor:
        """Return all values side by side, shape (N, U)."""
        values = [value for _, value in self.calls]
        return torch.cat([*values, logits.softmax(dim=-1)] if softmax else values, dim=1)

    def ranges(self, logits: Tensor, softmax: bool) -> Tensor:
        """Return least and largest value of every layer, shape (N, L, 2)."""
        extents = self.extents or []
        return torch.stack([*extents, _extent(logits.softmax(dim=-1))] if softmax else extents, dim=1)

    def map(self, classes: int, softmax: bool, chosen_by: str) -> NeuronMap:
        """Return the layers seen, each with its columns; a layer called again is a layer of its own (``relu#2``)."""
        layers: list[Layer] = []
        seen: dict[str, int] = {}
        for name, value in self.calls:
            seen[name] = seen.get(name, 0) + 1
            shown = name if seen[name] == 1 else f"{name}#{seen[name]}"
            layers.append(Layer(shown, _end(layers), value.shape[1]))
        if softmax:
            layers.append(Layer("softmax", _end(layers), classes))
        return NeuronMap(tuple(layers), chosen_by)


@contextmanager
def tapped(module: nn.Module, pattern: str, ranged: bool = False) -> Iterator[Taps]:
    """Watch the layers that ``pattern`` chooses, while the context lasts."""
    if not watchable(module):
        raise InvalidModel("the layers of an exported program cannot be watched; give the nn.Module it was made of")
    taps = Taps(ranged)
    handles = [_tap(layer, name, taps) for name, layer in chosen(module, pattern)]
    try:
        yield taps
    finally:
        for handle in handles:
            handle.remove()


def watchable(module: nn.Module) -> bool:
    """Say whether the layers of a module are called as modules: those of TorchScript and torch.export are not."""
    return not any(isinstance(part, torch.jit.ScriptModule) or _is_one_program(part) for part in module.modules())


def chosen(module: nn.Module, pattern: str) -> list[tuple[str, nn.Module]]:
    """Return the layers to watch: those a module declares, or all leaves but Flatten, whose names fit ``pattern``."""
    declared = getattr(module, DECLARED, None)
    leaves = {name: leaf for name, leaf in module.named_modules() if not list(leaf.children())}
    names = [name for name in declared if name != "softmax"] if declared else list(leaves)
    layers = [
        (name, leaves[name])
        for name in names
        if fnmatchcase(name, pattern) and (declared or not isinstance(leaves[name], _SILENT))
    ]
    if not layers:
        raise InvalidModel(f"no layer matches '{pattern}'; layers are: {', '.join(leaves)}")
    return layers


def counts_softmax(module: nn.Module, pattern: str) -> bool:
    """Say whether the probabilities count as a layer of their own."""
    return "softmax" in getattr(module, DECLARED, ()) and fnmatchcase("softmax", pattern)


def _is_one_program(part: nn.Module) -> bool:
    if not isinstance(part, torch.fx.GraphModule):
        return False
    return not any(node.op == "call_module" and node.target != "_guards_fn" for node in part.graph.nodes)


def _tap(layer: nn.Module, name: str, taps: Taps) -> RemovableHandle:
    def keep(_module: nn.Module, _inputs: object, output: object) -> None:
        if isinstance(output, Tensor) and output.ndim >= 2 and output.is_floating_point():
            taps.calls.append((name, output.flatten(2).mean(dim=2) if output.ndim > 2 else output.clone()))
            if taps.extents is not None:
                taps.extents.append(_extent(output))

    return layer.register_forward_hook(keep)


def _extent(output: Tensor) -> Tensor:
    # Not aminmax: measured, it is 20 times slower than these two, and reshapes what is in channels-last format.
    every = tuple(range(1, output.ndim))
    return torch.stack([output.amin(dim=every), output.amax(dim=every)], dim=1)


def _end(layers: list[Layer]) -> int:
    return layers[-1].start + layers[-1].count if layers else 0
