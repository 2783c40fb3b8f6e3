"""Examples from whatever the user has: a name, a file, a callable, tensors, a PyTorch data set."""

import inspect
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor
from torch.utils.data import Dataset

from unnerve.core.callables import looks_like_python, named
from unnerve.core.catalogue import bound, find, names, settings
from unnerve.core.errors import InvalidData, InvalidSetting, UserError
from unnerve.core.examples import Examples
from unnerve.subjects.datasets._stored_range import rescaled
from unnerve.subjects.datasets.npz import npz
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.datasets.torch_dataset import torch_dataset

__all__ = ["examples", "has_splits"]

Source = str | Path | Examples | Tensor | np.ndarray | tuple[Any, Any] | Dataset[Any]

# A path may hold commas and colons; settings are what stands as ,key=value at its end.
_NAMED = re.compile(r"(?P<name>[A-Za-z][\w-]*)(?::(?P<path>.*?)(?P<settings>(?:,\w+=[^,/\\]*)*))?", re.DOTALL)


def examples(
    source: Source,
    *,
    split: str | None = None,
    limit: int | None = None,
    stored_range: tuple[float, float] | None = None,
) -> Examples:
    """Take data to test on.

    Parameters
    ----------
    source : str, Examples, (x, y), Tensor, array or torch Dataset
        ``digits``, ``mnist5k``, ``mnist:DIR``, ``fashion-mnist:DIR``, ``cifar10:DIR``, ``cifar100:DIR``,
        ``imagefolder:DIR`` (``imagefolder:DIR,size=224,grey=false``), ``npz:FILE``, ``FILE.npz``; or
        ``FILE.py:callable`` or ``package.module:callable``, called without arguments (or with ``split``, if
        that is given), whose value is any of these sources.
    split : str, optional
        ``train`` or ``test`` where the data has them; by default the data set's own choice.
    limit : int, optional
        Only the first so many.
    stored_range : (float, float), optional
        The range in which floating-point values are stored; they are rescaled to [0, 1].

    Returns
    -------
    Examples, of the shape of one input
        Values in [0, 1] unless the source has its own range.
    """
    if isinstance(source, str | Path):
        found = _from_text(str(source), split)
    elif split is not None:
        raise InvalidSetting(f"split is for data that is named, got '{split}' for {type(source).__name__}")
    else:
        found = _from_value(source)
    return rescaled(found, stored_range).first(limit)


def _from_text(text: str, split: str | None) -> Examples:
    match = _NAMED.fullmatch(text)
    if match is None or match["name"].replace("-", "_").lower() not in names("data set"):
        if text.endswith(".npz"):
            return npz(text, split)
        if _names_python(text):
            return _from_callable(text, split)
    if match is None:
        forms = "NAME, NAME:PATH, FILE.npz, FILE.py:callable or package.module:callable"
        raise InvalidData(f"data must be {forms}, got '{text}'")
    name, path = match["name"], match["path"]
    method = text
    if "path" in settings(find("data set", name)):
        if not path:
            raise InvalidSetting(f"{name} must be followed by a path, as in {name}:PATH, got '{text}'")
        method = f"{name}:{match['settings'][1:]}"
    found: Examples = bound("data set", method, path=path, split=split)()
    return found


def _names_python(text: str) -> bool:
    """Say whether a text names something in Python; a name that is no module is a misspelt data set."""
    home = text.rpartition(":")[0]
    return looks_like_python(text) and ("." in home or find_spec(home) is not None)


def _from_callable(text: str, split: str | None) -> Examples:
    value = named(text, InvalidData)
    if callable(value) and not isinstance(value, Dataset):
        takes_split = "split" in inspect.signature(value).parameters
        if split is not None and not takes_split:
            raise InvalidSetting(f"{text} takes no split, got '{split}'")
        try:
            value = value(split=split) if split is not None else value()
        except UserError:
            raise
        except Exception as error:
            raise InvalidData(f"{text} raised {type(error).__name__}: {error}") from error
    return _from_text(value, None) if isinstance(value, str) else _from_value(value, text)


def _from_value(value: object, name: str | None = None) -> Examples:
    if isinstance(value, Examples):
        return value
    if isinstance(value, Tensor | np.ndarray):
        return tensors(value, name=name or "tensors")
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], Tensor | np.ndarray):
        return tensors(value[0], value[1], name=name or "tensors")
    if isinstance(value, Dataset):
        return torch_dataset(value, name or type(value).__name__)
    kinds = "a name, Examples, a tensor or array, a pair (x, y) of them, or a torch Dataset"
    raise InvalidData(f"{name or 'data'}: must be {kinds}, got {type(value).__name__}")


def has_splits(text: str) -> bool:
    """Say whether a named data set comes in training and test parts of its own."""
    match = _NAMED.fullmatch(text)
    name = "" if match is None else match["name"].replace("-", "_").lower()
    split = settings(find("data set", name)).get("split") if name in names("data set") else None
    return split is not None and isinstance(split.default, str)
