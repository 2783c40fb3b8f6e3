"""One item of somebody's data, or one batch of them: an input, and perhaps a label."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.files import pixels

__all__ = ["INPUTS", "LABELS", "item", "key_among"]

# In the order in which they are looked for; the names are those of torchvision, Hugging Face and scikit-learn.
INPUTS = ("x", "input", "inputs", "image", "images", "img", "pixel_values", "input_values", "data", "features")
"""Names under which data hold their inputs."""

LABELS = ("y", "label", "labels", "target", "targets", "class", "class_index")
"""Names under which data hold their labels."""


def item(given: object, row: int, name: str) -> tuple[np.ndarray, Any]:
    """Return the input and the label, or None, of x, (x, y), or a dict with both.

    Parameters
    ----------
    given : object
        x a tensor, an array, a PIL image or a list of numbers; y anything.
    row : int
        Its number, for messages.
    name : str
        Where it comes from; begins every message.
    """
    x, *rest = _parts(given)
    found = _array(x)
    if found is None or len(rest) > 1:
        form = "x, (x, y) or a dict such as {'x': x, 'y': y}, x a tensor, array, image or list of numbers"
        raise InvalidData(f"{name}: items must be {form}, got {_described(given)} at {row}")
    if found.dtype != np.uint8 and found.dtype.kind != "f":
        raise InvalidData(f"{name}: inputs must be uint8 or floating point, got {found.dtype} at {row}")
    return found, _plain(rest[0]) if rest else None


def key_among(names: Iterable[str], keys: Iterable[Any]) -> Any:
    """Return the first of some names that is among the keys, whatever the case of its letters; None if none is."""
    by_name = {str(key).lower(): key for key in keys}
    return next((by_name[name] for name in names if name in by_name), None)


def _parts(given: object) -> tuple[Any, ...]:
    if isinstance(given, Mapping):
        x, y = key_among(INPUTS, given), key_among(LABELS, given)
        if x is None:
            # Three parts are no item: the caller says what would be one.
            return None, None, None
        return (given[x],) if y is None else (given[x], given[y])
    if isinstance(given, tuple):
        return given
    # A list is an item of two or more parts, unless it is one row of numbers.
    return (given,) if not isinstance(given, list) or _is_row(given) else tuple(given)


def _is_row(given: list[Any]) -> bool:
    return bool(given) and all(
        isinstance(one, int | float) or (isinstance(one, list) and _is_row(one)) for one in given
    )


def _array(x: object) -> np.ndarray | None:
    if isinstance(x, Tensor):
        return (x.float() if x.dtype == torch.bfloat16 else x).detach().cpu().resolve_conj().resolve_neg().numpy()
    if isinstance(x, Image.Image):
        return pixels(x)
    if isinstance(x, list) and _is_row(x):
        try:
            return np.asarray(x, dtype=np.float32)
        except ValueError:  # rows of different lengths
            return None
    return x if isinstance(x, np.ndarray) else None


def _plain(label: object) -> object:
    return label.item() if isinstance(label, Tensor) and label.numel() == 1 else label


def _described(given: object) -> str:
    if isinstance(given, Mapping):
        return f"a dict with {', '.join(map(str, given))}"
    if isinstance(given, tuple | list):
        return f"({', '.join(type(part).__name__ for part in given)})"
    return type(given).__name__
