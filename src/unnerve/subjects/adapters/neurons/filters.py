"""Which layers of a module count: by a filter of the papers, or by a pattern of names."""

from fnmatch import fnmatchcase

from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import inner, kind, leaves, watchable

__all__ = ["DECLARED", "DEFAULT", "SOFTMAX", "counted", "default_filter"]

DECLARED = "neuron_layers"
"""Attribute of a module: the layers that count, in calling order. ``conv1+relu1`` is a layer whose value is read
after the last of its parts and whose kind is that of the first; ``softmax`` stands for the probabilities."""

DEFAULT = "neuron_filter"
"""Attribute of a module: the filter that counts its neurons as its paper does."""

SOFTMAX = "softmax"

_FILTERS = ("deepxplore", "no_activation", "conv_dense")
_WITHOUT_NEURONS = (nn.Flatten, nn.Unflatten, nn.Identity)
_CONV_DENSE = (
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
    *(nn.Linear, nn.Bilinear),
)
_ACTIVATIONS = ("torch.nn.modules.activation", "transformers.activations")


def default_filter(module: nn.Module) -> str:
    """Return the filter that a module names as its own, or ``deepxplore``."""
    return str(getattr(inner(module), DEFAULT, _FILTERS[0]))


def counted(module: nn.Module, layer_filter: str) -> dict[str, str]:
    """Return the layers that count: where each is read -> what it is called.

    Parameters
    ----------
    module : nn.Module
    layer_filter : str
        ``deepxplore`` (every layer but Flatten), ``no_activation`` (these without activations), ``conv_dense``
        (convolutions and dense layers only), or patterns of names with commas: ``conv*,fc?``.
    """
    if not watchable(module):
        raise InvalidModel("the layers of an exported program cannot be watched; give the nn.Module it was made of")
    module = inner(module)
    known = leaves(module)
    declared: tuple[str, ...] = getattr(module, DECLARED, ())
    with_neurons = [name for name, leaf in known.items() if not issubclass(kind(leaf), _WITHOUT_NEURONS)]
    if layer_filter in _FILTERS:
        entries = [entry.split("+") for entry in declared] or [[name] for name in with_neurons]
        found = {names[-1]: "+".join(names) for names in entries if _lets_through(known.get(names[0]), layer_filter)}
    else:
        listed = [*with_neurons, SOFTMAX] if declared else with_neurons
        # Blocks count only where they alone are meant, else their layers would count twice.
        blocks = [name for name, _ in module.named_modules() if name]
        found = _fitting(listed, layer_filter) or _fitting(blocks, layer_filter)
    if not found:
        raise InvalidModel(f"no layer matches '{layer_filter}'; layers are: {', '.join(known)}")
    if "" in found:  # the module is one layer
        found[""] = type(module).__name__
    return found


def _lets_through(leaf: nn.Module | None, layer_filter: str) -> bool:
    """Say whether a filter lets a layer through; None is the softmax of the answer, an activation."""
    if layer_filter == "conv_dense":
        return leaf is not None and issubclass(kind(leaf), _CONV_DENSE)
    return layer_filter != "no_activation" or not (leaf is None or _is_activation(leaf))


def _is_activation(leaf: nn.Module) -> bool:
    homes = {each.__module__ for each in kind(leaf).__mro__}
    return bool(homes & set(_ACTIVATIONS)) and not issubclass(kind(leaf), nn.MultiheadAttention)


def _fitting(names: list[str], patterns: str) -> dict[str, str]:
    wanted = [pattern.strip() for pattern in patterns.split(",")]
    return {name: name for name in names if any(fnmatchcase(name, pattern) for pattern in wanted)}
