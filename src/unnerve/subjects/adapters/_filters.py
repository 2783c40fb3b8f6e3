"""Which layers of a module count: by a filter of the papers, or by a pattern of names."""

from fnmatch import fnmatchcase

import torch
from torch import nn
from torch.nn.utils.parametrize import is_parametrized

from unnerve.core.errors import InvalidModel

__all__ = [
    "COMPILED",
    "DECLARED",
    "DEFAULT",
    "INNER",
    "SOFTMAX",
    "counted",
    "default_filter",
    "inner",
    "leaves",
    "watchable",
]

DECLARED = "neuron_layers"
"""Attribute of a module: the layers that count, in calling order. ``conv1+relu1`` is a layer whose value is read
after the last of its parts and whose kind is that of the first; ``softmax`` stands for the probabilities."""

DEFAULT = "neuron_filter"
"""Attribute of a module: the filter that counts its neurons as its paper does."""

INNER = "neurons_inside"
"""Attribute of a module that only prepares the input of another: that other, whose layers keep their names."""

COMPILED = "_orig_mod"
"""Attribute of what torch.compile returns: the module it was made of."""

SOFTMAX = "softmax"

_FILTERS = ("deepxplore", "no_activation", "conv_dense")
_SILENT = (nn.Flatten, nn.Unflatten, nn.Identity)
_CONV_DENSE = (
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
    *(nn.Linear, nn.Bilinear),
)
_ACTIVATIONS = ("torch.nn.modules.activation", "transformers.activations")


def default_filter(module: nn.Module) -> str:
    """Return the filter that a module names as its own, or ``deepxplore``."""
    return str(getattr(inner(module), DEFAULT, _FILTERS[0]))


def counted(module: nn.Module, chooser: str) -> dict[str, str]:
    """Return the layers that count: where each is read -> what it is called.

    Parameters
    ----------
    module : nn.Module
    chooser : str
        ``deepxplore`` (every layer but Flatten), ``no_activation`` (these without activations), ``conv_dense``
        (convolutions and dense layers only), or patterns of names with commas: ``conv*,fc?``.
    """
    if not watchable(module):
        raise InvalidModel("the layers of an exported program cannot be watched; give the nn.Module it was made of")
    module = inner(module)
    known = leaves(module)
    declared: tuple[str, ...] = getattr(module, DECLARED, ())
    audible = [name for name, leaf in known.items() if not isinstance(leaf, _SILENT)]
    if chooser in _FILTERS:
        entries = [entry.split("+") for entry in declared] or [[name] for name in audible]
        found = {parts[-1]: "+".join(parts) for parts in entries if _passes(known.get(parts[0]), chooser)}
    else:
        names = [*audible, SOFTMAX] if declared else audible
        # Blocks count only where they alone are meant, else their layers would count twice.
        found = _fitting(names, chooser) or _fitting([name for name, _ in module.named_modules() if name], chooser)
    if not found:
        raise InvalidModel(f"no layer matches '{chooser}'; layers are: {', '.join(known)}")
    if "" in found:  # the module is one layer
        found[""] = type(module).__name__
    return found


def watchable(module: nn.Module) -> bool:
    """Say whether the layers of a module are called as modules: those of TorchScript and torch.export are not."""
    return not any(isinstance(part, torch.jit.ScriptModule) or _is_one_program(part) for part in module.modules())


def inner(module: nn.Module) -> nn.Module:
    """Return the module whose layers count, without what only prepares its input or compiles it."""
    while isinstance(within := getattr(module, INNER, getattr(module, COMPILED, None)), nn.Module):
        module = within
    return module


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


def _passes(leaf: nn.Module | None, chooser: str) -> bool:
    """Say whether a filter lets a layer through; None is the softmax of the answer, an activation."""
    if chooser == "conv_dense":
        return isinstance(leaf, _CONV_DENSE)
    return chooser != "no_activation" or not (leaf is None or _is_activation(leaf))


def _is_activation(leaf: nn.Module) -> bool:
    homes = {kind.__module__ for kind in type(leaf).__mro__}
    return bool(homes & set(_ACTIVATIONS)) and not isinstance(leaf, nn.MultiheadAttention)


def _fitting(names: list[str], patterns: str) -> dict[str, str]:
    wanted = [pattern.strip() for pattern in patterns.split(",")]
    return {name: name for name in names if any(fnmatchcase(name, pattern) for pattern in wanted)}


def _is_one_program(part: nn.Module) -> bool:
    if not isinstance(part, torch.fx.GraphModule):
        return False
    return not any(node.op == "call_module" and node.target != "_guards_fn" for node in part.graph.nodes)
