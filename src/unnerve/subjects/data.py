"""Examples from whatever the user has: a name, a file, a callable, tensors, a PyTorch data set."""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.data import Dataset

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening, opening_with
from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import FROM_OUTSIDE, InvalidData, InvalidSetting, UserError, raised
from unnerve.core.naming.callables import looks_like_python, named
from unnerve.core.naming.catalogue import bound, find, names, settings
from unnerve.core.naming.keywords import flat
from unnerve.subjects.datasets._class_names import check_same_classes, named_like, with_classes
from unnerve.subjects.datasets._images.rows import ImageRows
from unnerve.subjects.datasets._saved.folder import is_saved
from unnerve.subjects.datasets._stored_range import held_in
from unnerve.subjects.datasets._tables.known_columns import columns_like
from unnerve.subjects.datasets._tables.values import Wish, examples_of
from unnerve.subjects.opening import DataOptions, value_range

__all__ = ["examples", "examples_with", "further_data", "further_labelled"]


# A path may hold commas and colons; settings are what stands as ,key=value at its end.
_PATH = r"(?P<path>.*?)(?P<settings>(?:,\w+=[^,/\\]*)*)"
_PLACE = re.compile(_PATH, re.DOTALL)
_NAMED = re.compile(rf"(?P<name>[A-Za-z][\w-]*)(?::{_PATH})?", re.DOTALL)
_ENDINGS = {"tsv": "csv"}
"""Endings of files that are not the name of the data set which reads them."""

_FOR_SOME = {"split": "data that is named", "skip_unreadable": "folders of images, and speech", "label": "tables"}
"""Options that only some data sets know -> which."""


@flat()
def examples(source: Any, *, options: DataOptions) -> Examples:
    """Take data to test on.

    Parameters
    ----------
    source : str, Examples, (x, y), tensor, array, DataFrame, dict, list, Dataset, DataLoader, iterable, or Campaign
        ``digits``, ``mnist5k``, ``mnist:DIR``, ``fashion-mnist:DIR``, ``cifar10:DIR``, ``cifar100:DIR``,
        ``imagefolder:DIR`` (``imagefolder:DIR,size=224,grey=false``) or ``DIR``, ``speech:FILE_OR_DIR``
        (``speech:FILE,by=accent``), ``npz:FILE`` or ``FILE.npz``, ``hf:DIR``,
        ``csv:FILE`` or ``FILE.csv``, ``parquet:FILE`` or ``FILE.parquet``; or ``FILE.py:callable`` or
        ``package.module:callable``, called without arguments (or with ``split``, if that is given), whose value is
        any of these sources. Of a campaign, the findings of all its methods.
    options : DataOptions
        How it is opened; its fields are given as keywords: ``split="test"``, ``limit=1000``,
        ``stored_range=(0, 255)``.

    Returns
    -------
    Examples, of the shape of one input
        Values in [0, 1], unless ``stored_range`` or the source itself states another range; they keep it.

    Examples
    --------
    >>> import unnerve
    >>> len(unnerve.examples("mnist5k", limit=100))
    100
    """
    return examples_with(source, options, {})


def examples_with(source: Any, options: DataOptions, usual: Mapping[str, object]) -> Examples:
    """Take data as :func:`examples` does, with settings of a data set such as ``size`` unless its text names them."""
    text = isinstance(source, str | Path)
    found = _from_text(str(source), options, usual) if text else _from_value(source, options)
    if options.stored_range is not None and found.features is not None:
        raise InvalidSetting(
            f"--stored-range is for arrays; the columns of a table, {found.name}, keep their own ranges"
        )
    named = with_classes(found, options.classes)
    taken = held_in(named, value_range(options.stored_range, "stored-range")).first(options.limit)
    opening = _opening(source, options, taken)
    return taken if taken.opening == opening else replace(taken, opening=opening)


def _opening(source: Any, options: DataOptions, taken: Examples) -> Opening | None:
    given = opening_with(str(source) if isinstance(source, str | Path) else None, options)
    if not isinstance(source, Examples):
        return given
    # Those were opened before; how many of them there are is known already.
    further = {name: text for name, text in given.options.items() if name != "limit"}
    return None if taken.opening is None else taken.opening.but(**further)


def _from_text(text: str, options: DataOptions, usual: Mapping[str, object]) -> Examples:
    match = _NAMED.fullmatch(text)
    # Names go first: a folder called digits does not hide the data set, ./digits names it.
    if match is None or _plain(match["name"]) not in names("data set"):
        reader = _reader(text)
        if reader is not None:
            match = _NAMED.fullmatch(f"{reader}:{text}")
        elif _names_python(text):
            return _from_callable(text, options, usual)
    if match is None:
        forms = (
            "NAME, NAME:PATH, FILE.npz, FILE.csv, FILE.parquet, a folder, FILE.py:callable or package.module:callable"
        )
        raise InvalidData(f"data must be {forms}, got '{text}'")
    name, path = match["name"], match["path"]
    known, method = settings(find("data set", name)), text
    if "path" in known:
        if not path:
            raise InvalidSetting(f"{name} must be followed by a path, as in {name}:PATH, got '{text}'")
        method = f"{name}:{match['settings'][1:]}"
    asked = _asked(options, known, f"'{text}'")
    found: Examples = bound("data set", method, path=path, **usual, **asked)()
    return found


def _from_value(value: object, options: DataOptions, name: str = "") -> Examples:
    _asked(options, ("label",), name or type(value).__name__)
    return examples_of(value, Wish(name, options.limit, options.label))


def _asked(options: DataOptions, known: Iterable[str], source: str) -> dict[str, object]:
    """Return the options that go to who reads the data; refuse those that it would ignore."""
    given = {name: getattr(options, name) for name in _FOR_SOME if getattr(options, name)}
    for name, value in given.items():
        if name not in known:
            said = f" '{value}'" if isinstance(value, str) else ""
            raise InvalidSetting(f"--{name.replace('_', '-')}{said} is for {_FOR_SOME[name]}, got {source}")
    return given


def _reader(text: str) -> str | None:
    """Return which data set reads a file or folder that is named without one; None if nothing is there."""
    path = _PLACE.fullmatch(text)
    if path is None or not path["path"]:
        return None
    place = Path(path["path"]).expanduser()
    if place.is_dir():
        return "hf" if is_saved(place) else "imagefolder"
    name = place.suffix.lower().removeprefix(".")
    name = _ENDINGS.get(name, name)
    # A format is read by the data set of its name: whoever adds a format adds no line here.
    return name if name in names("data set") and "path" in settings(find("data set", name)) else None


def _plain(name: str) -> str:
    return name.replace("-", "_").lower()


def _names_python(text: str) -> bool:
    """Say whether a text names something in Python; a name that is no module is a misspelt data set."""
    home = text.rpartition(":")[0]
    return looks_like_python(text) and ("." in home or find_spec(home) is not None)


def _from_callable(text: str, options: DataOptions, usual: Mapping[str, object]) -> Examples:
    value, split = named(text, InvalidData), options.split
    # A data set of torch may be callable too, and is data already.
    if callable(value) and not isinstance(value, Dataset):
        if split is not None and "split" not in inspect.signature(value).parameters:
            raise InvalidSetting(f"{text} takes no split, got '{split}'")
        try:
            value = value(split=split) if split is not None else value()
        except (UserError, *FROM_OUTSIDE):
            raise
        except BaseException as error:
            raise InvalidData(f"{text} raised {raised(error)}") from error
        options = replace(options, split=None)
    return _from_text(value, options, usual) if isinstance(value, str) else _from_value(value, options, text)


def further_data(source: Any, like: Examples, split: str | None = None) -> Examples:
    """Take further data of the same kind as some, with values of the same range; of a name a split, if it has any."""
    named = isinstance(source, str)
    options = DataOptions(split=split if named and _has_splits(source) else None)
    found = named_like(examples_with(source, options, _resized_like(like)), like.classes)
    if found.features is not None:
        return columns_like(found, like)  # what a table holds says where its values lie: they are not converted
    if named and found.value_range == UNIT and found.source.read([0]).dtype != np.uint8:
        return held_in(found, like.value_range)  # an option said of the other data how these are stored as well
    return found.brought_to(like.value_range)


def further_labelled(source: Any, like: Examples, split: str | None = None) -> Examples:
    """Take further data whose labels matter: with classes of the same names, or of none."""
    found = further_data(source, like, split)
    check_same_classes(found, like)
    return found


def _resized_like(data: Examples) -> dict[str, object]:
    """Return the settings with which a folder of images is brought to the size of other images, if they are square."""
    square = len(data.shape) == 3 and data.shape[1] == data.shape[2] and isinstance(data.source, ImageRows)
    return {"size": data.shape[1], "grey": data.shape[0] == 1} if square else {}


def _has_splits(text: str) -> bool:
    """Say whether a named data set comes in training and test parts of its own."""
    match = _NAMED.fullmatch(text)
    name = "" if match is None else _plain(match["name"])
    split = settings(find("data set", name)).get("split") if name in names("data set") else None
    return split is not None and isinstance(split.default, str)
