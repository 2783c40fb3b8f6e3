"""Forward hooks on some layers of a module, for as long as a context lasts."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext

import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._layers import inner

__all__ = ["Hook", "first_tensor", "hooked", "named_layers"]

Hook = Callable[[str, object, object], object]
"""(layer, its output, its first input) -> what replaces the output, or None to leave it."""


def named_layers(module: nn.Module, names: Collection[str]) -> dict[str, nn.Module]:
    """Return the named layers or blocks of a module."""
    return {name: part for name, part in inner(module).named_modules() if name in names}


@contextmanager
def hooked(layers: Mapping[str, nn.Module], hook: Hook, compiled: bool) -> Iterator[None]:
    """Call ``hook`` after every call of these layers, while the context lasts."""

    def attached(name: str, layer: nn.Module) -> torch.utils.hooks.RemovableHandle:
        return layer.register_forward_hook(lambda _, inputs, output: hook(name, output, inputs[0] if inputs else None))

    handles = [attached(name, layer) for name, layer in layers.items()]
    try:
        # A compiled module calls none of its layers, so it is run as it was written.
        with torch.compiler.set_stance("force_eager") if compiled else nullcontext():
            yield
    finally:
        for handle in handles:
            handle.remove()


def first_tensor(output: object) -> Tensor | None:
    """Return a layer's output, or the first part of one that returns several; None if that is no tensor of numbers."""
    while isinstance(output, tuple | list) and output:
        output = output[0]
    return output if isinstance(output, Tensor) and output.is_floating_point() else None
