"""Finding a module's weights in what a training script saved: under which key, and with which prefixes."""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel

__all__ = ["weights_in"]

_PREFIXES = ("module.", "model.", "_orig_mod.")
"""What DataParallel, Lightning and torch.compile put before every name."""

_COUNTER = "n_averaged"
"""What averaged weights (``torch.optim.swa_utils``) have beside the module's own."""


def weights_in(found: object, part: str | None, known: Collection[str], where: str) -> Mapping[str, Tensor]:
    """Return the weights that a file holds for a module.

    They may lie at the top or under a key, such as ``state_dict``, ``model_state_dict``, ``model`` or ``ema``, and
    their names may have prefixes that the module's names lack.

    Parameters
    ----------
    found : object
        What was read from the file.
    part : str or None
        The key that the user chose.
    known : collection of str
        The names that the module knows.
    where : str
        The file, for errors.
    """
    sets = _sets(found)
    if not sets:
        raise InvalidModel(f"{where}: must hold a state dict (names to tensors), got {_content(found)}")
    if part is not None and part not in sets:
        raise InvalidModel(f"{where}: has no weights under '{part}'; it has {', '.join(filter(None, sets)) or 'none'}")
    chosen = sets if part is None else {part: sets[part]}
    renamed = {key: _renamed(tensors, known) for key, tensors in chosen.items()}
    fitting = [key for key, tensors in renamed.items() if set(tensors) == set(known)]
    # Weights and their moving average both fit; taking either silently would test another network.
    if not all(_equal(renamed[fitting[0]], renamed[key]) for key in fitting[1:]):
        raise InvalidModel(
            f"{where}: holds several sets of weights that fit: {', '.join(fitting)}; say which: --weights "
            f"{where}#{fitting[0]}"
        )
    return renamed[(fitting or list(renamed))[0]]


def _sets(found: object, key: str = "") -> dict[str, Mapping[str, Tensor]]:
    """Return the state dicts in a checkpoint by their keys; the key of one at the top is empty."""
    if not isinstance(found, Mapping) or not found:
        return {}
    if all(isinstance(value, Tensor) for value in found.values()):
        return {key: {str(name): tensor for name, tensor in found.items()}}
    inside = ((str(name), value) for name, value in found.items() if isinstance(value, Mapping))
    return {
        deeper: tensors
        for name, value in inside
        for deeper, tensors in _sets(value, f"{key}.{name}" if key else name).items()
    }


def _renamed(tensors: Mapping[str, Tensor], known: Collection[str]) -> Mapping[str, Tensor]:
    """Return tensors without the prefixes that the module's names lack."""
    names = set(known)
    while not names <= set(tensors):
        prefix = next((one for one in _PREFIXES if any(name.startswith(one) for name in tensors)), None)
        if prefix is None:
            break
        # What stands beside them, such as the weights of a loss, is not the module's.
        tensors = {name.removeprefix(prefix): one for name, one in tensors.items() if name.startswith(prefix)}
    return {name: one for name, one in tensors.items() if name != _COUNTER or name in names}


def _equal(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def _content(found: object) -> str:
    if isinstance(found, Mapping) and found:
        return f"a dict with {', '.join(map(str, list(found)[:5]))}"
    return "an empty dict" if isinstance(found, Mapping) else type(found).__name__
