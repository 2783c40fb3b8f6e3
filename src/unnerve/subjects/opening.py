"""How a model and data are opened; the command's options are these fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from unnerve.core.data.openings import Opening, opening_with
from unnerve.core.data.ranges import ValueRange, checked_range
from unnerve.core.errors import InvalidSetting
from unnerve.core.storage.files import sha256

__all__ = [
    "DataOptions",
    "ModelOptions",
    "Normalisation",
    "model_opening",
    "normalisation",
    "value_range",
]

_SETTINGS = re.compile(r"(?:,\w+=[^,/\\]*)*$")
Normalisation = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class ModelOptions:
    """How a model is opened.

    Parameters
    ----------
    weights : path, optional
        safetensors, npz, a state dict, or a checkpoint that holds one (FILE#ema of several); read without running code.
    normalise : str, or (means, standard deviations), optional
        MEAN/STD that the model expects, one value or one per channel: 0.13/0.31, or 0.49,0.48,0.45/0.25,0.24,0.26. The
        model then sees (x - mean) / std, while tests stay in the data's own range.
    model_range : str, or (float, float), optional
        LOW,HIGH of the values that the model expects, before it normalises them: the data's are brought to it. By
        default 0,1 for networks of the zoo; others are given the data's values as they are.
    outputs : str
        What the model returns: logits, probabilities, or auto. One of several outputs is chosen by its name or number:
        head:logits, 1:auto.
    neurons : str, optional
        Which layers count: deepxplore (every layer but Flatten), no_activation, conv_dense, or patterns of names such
        as conv*,fc1; by default as a zoo network's paper counts, and deepxplore otherwise.
    device : str, optional
        Where a module shall run, e.g. cuda; by default where it is.
    precision : str
        float32, or bfloat16 or float16: convolutions and dense layers of a module in half precision. That is another
        model: what is found is proven on it, not on the module in full precision.
    trust : bool
        Open a file although loading it can run code stored in it; only for files of your own, or of people you trust.
    """

    weights: str | Path | None = field(default=None, metadata={"metavar": "FILE"})
    normalise: str | Normalisation | None = field(default=None, metadata={"metavar": "MEAN/STD"})
    model_range: str | ValueRange | None = field(default=None, metadata={"metavar": "LOW,HIGH"})
    outputs: str = "auto"
    neurons: str | None = field(default=None, metadata={"metavar": "FILTER"})
    device: str | None = None
    precision: str = "float32"
    trust: bool = False


@dataclass(frozen=True)
class DataOptions:
    """How data is opened.

    Parameters
    ----------
    split : str, optional
        train or test, where the data has them; by default the data set's own choice.
    limit : int, optional
        Read only the first so many inputs.
    stored_range : str, or (float, float), optional
        LOW,HIGH between which floating-point values lie, if not in [0, 1]; they stay as they are, and regions and
        methods follow that range.
    skip_unreadable : bool
        Leave out images that cannot be read, and say which; without it the first of them is an error.
    label : str, optional
        Of a table, the column of labels; by default the one called label, target, class or y; none if there is none.
    classes : str, or list of str, optional
        Names of the classes in the order in which the model numbers them: a,b,c, or a file with one a line. Labels that
        are names are numbered by it; by default in alphabetical order.
    """

    split: str | None = None
    limit: int | None = None
    stored_range: str | ValueRange | None = field(default=None, metadata={"metavar": "LOW,HIGH"})
    skip_unreadable: bool = False
    label: str | None = field(default=None, metadata={"metavar": "COLUMN"})
    classes: str | Sequence[str] | None = field(default=None, metadata={"metavar": "NAMES"})


def model_opening(source: Any, options: ModelOptions) -> Opening:
    """Return how a model is opened, with the hashes of the files that are read for it.

    Parameters
    ----------
    source : str, path or object
        As ``unnerve.model`` takes it.
    options : ModelOptions
        Options whose metavar is ``FILE`` name files.
    """
    text = str(source) if isinstance(source, str | Path) else None
    given = {one.name: getattr(options, one.name) for one in fields(options) if one.metadata.get("metavar") == "FILE"}
    paths = {"source": _own_file(text or ""), **{name: Path(one) for name, one in given.items() if one is not None}}
    # By content: a path says nothing of what it held when the campaign ran.
    return opening_with(text, options, {name: sha256(path) for name, path in paths.items() if path.is_file()})


def _own_file(text: str) -> Path:
    """Return the file that a model's name holds: that of ``FILE.py:name``, ``FILE.pt2``, ``FORM:FILE,key=value``."""
    named = _SETTINGS.sub("", text.partition("|")[0])
    parts = [named, named.rpartition(":")[0], named.partition(":")[2]]
    # The whole name first: a colon may be part of a path. What is no file becomes a folder, which has no hash.
    return next((Path(one) for one in parts if one and Path(one).is_file()), Path())


def normalisation(given: str | Normalisation | None) -> Normalisation | None:
    """Return means and standard deviations, also from text: ``0.13/0.31``."""
    if not isinstance(given, str):
        return given
    return _pair("normalise", "MEAN/STD", given)


def value_range(given: str | ValueRange | None, option: str) -> ValueRange | None:
    """Return the range that an option states, also as text: ``0,255``."""
    if given is None:
        return None
    if isinstance(given, str):
        (low,), (high,) = _pair(option, "LOW,HIGH", given.replace(",", "/"), given)
        given = (low, high)
    return checked_range(*given, f"--{option}")


def _pair(option: str, form: str, text: str, shown: str | None = None) -> tuple[list[float], list[float]]:
    try:
        first, second = ([float(part) for part in side.split(",")] for side in text.split("/"))
    except ValueError:
        raise InvalidSetting(f"--{option} must be {form}, got '{shown or text}'") from None
    return first, second
