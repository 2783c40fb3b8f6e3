"""The layers of a module: those behind wrappers, those that are called as a whole, and whether hooks reach them."""

import torch
from torch import nn
from torch.nn.utils.parametrize import is_parametrized

__all__ = ["COMPILED", "INNER", "inner", "is_compiled", "kind", "leaves", "watchable"]

INNER = "neurons_inside"
"""Attribute of a module that only prepares the input of another: that other, whose layers keep their names."""

STANDS_FOR = "stands_for"
"""Attribute of a layer that does what a layer of torch does: that one's class."""

IN_PARTS = "runs_in_parts"
"""Attribute of a module that runs another on parts of its input, one after the other."""

COMPILED = "_orig_mod"
"""Attribute of what torch.compile returns: the module it was made of."""


def inner(module: nn.Module) -> nn.Module:
    """Return the module whose layers count, without what only prepares its input or compiles it."""
    while isinstance(within := getattr(module, INNER, getattr(module, COMPILED, None)), nn.Module):
        module = within
    return module


def kind(layer: nn.Module) -> type[nn.Module]:
    """Return the class of a layer; of an operation of an exported program, that of the layer it stands for."""
    found: type[nn.Module] = getattr(layer, STANDS_FOR, type(layer))
    return found


def leaves(module: nn.Module) -> dict[str, nn.Module]:
    """Return the layers that are called as a whole, by name."""
    found: dict[str, nn.Module] = {}
    whole: tuple[str, ...] = ()
    for name, part in module.named_modules():
        if any(name.startswith(f"{outer}.") for outer in whole):
            continue
        # The parts of these are read as weights, never called.
        if isinstance(part, nn.MultiheadAttention) or is_parametrized(part):
            whole += (name,)
        elif list(part.children()):
            continue
        found[name] = part
    return found


def watchable(module: nn.Module) -> bool:
    """Say whether the layers of a module are called as modules, each as often for few inputs as for many.

    Those of TorchScript and torch.export are not, nor those of what is run on parts of its input.
    """
    return not any(_hides_layers(part) for part in module.modules())


def is_compiled(module: nn.Module) -> bool:
    """Say whether a module, or some part of it, was made by torch.compile."""
    return any(hasattr(part, COMPILED) for part in module.modules())


def _hides_layers(part: nn.Module) -> bool:
    return isinstance(part, torch.jit.ScriptModule) or getattr(part, IN_PARTS, False) or _is_one_program(part)


def _is_one_program(part: nn.Module) -> bool:
    if not isinstance(part, torch.fx.GraphModule):
        return False
    # torch.export adds a submodule of its own, which checks the shapes of inputs and is no layer.
    return not any(node.op == "call_module" and node.target != "_guards_fn" for node in part.graph.nodes)
