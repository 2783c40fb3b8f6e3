"""Names of classes that the user gives, in the order in which the model numbers them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from unnerve.core.data.class_names import telling
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName

__all__ = ["check_same_classes", "named_like", "numbered_as", "with_classes"]


def with_classes(examples: Examples, given: str | Sequence[str] | None) -> Examples:
    """Return examples whose classes have these names.

    Parameters
    ----------
    examples : Examples
        If its classes have names already, their labels are numbered anew: each name by its place among the given ones.
    given : str, sequence of str, or None
        ``a,b,c``, or a file with one name a line; None leaves the examples as they are.
    """
    if given is None:
        return examples
    names = _names(given)
    doubled = next((one for place, one in enumerate(names) if one in names[:place]), None)
    if doubled is not None:
        raise InvalidSetting(f"--classes must differ from each other, got '{doubled}' twice")
    # Without names of their own the labels are the model's numbers already.
    if not examples.classes or examples.labels is None:
        return replace(examples, classes=names)
    unknown = next((one for one in examples.classes if one not in names), None)
    if unknown is not None:
        near = UnknownName(f"class of {examples.name}", unknown, names)
        raise InvalidSetting(f"--classes must name every class: {near.command_line}")
    numbers = np.array([names.index(one) for one in examples.classes], dtype=np.int64)
    return replace(examples, labels=numbers[examples.labels], classes=names)


def numbered_as(examples: Examples, names: tuple[str, ...] | None) -> Examples:
    """Return examples whose classes have the numbers, and if they have none the names, that a model gives them.

    Parameters
    ----------
    examples : Examples
        Left as they are if the user said how their classes are numbered, or if the model does not know some of them.
    names : tuple of str or None
        What the model calls its classes; None if that is not known.
    """
    if names is None or len(set(names)) < len(names) or "classes" in _said(examples):
        return examples
    if examples.classes:
        return named_like(examples, names)
    fits = examples.labels is None or int(examples.labels.max()) < len(names)
    return replace(examples, classes=names) if fits else examples


def named_like(examples: Examples, names: tuple[str, ...]) -> Examples:
    """Return examples whose classes have the numbers that others of the same names have; as they are if some differ.

    A folder of test images that lacks a class numbers all classes behind it otherwise than the folder that a model was
    trained with: names, where both have them, know better.
    """
    same = examples.classes == names or not set(examples.classes) <= set(names)
    return examples if same or not examples.classes else with_classes(examples, names)


def check_same_classes(examples: Examples, like: Examples) -> None:
    """Raise if further data have classes by other names: their labels would be learnt as those of other classes."""
    named = telling(examples.classes) and telling(like.classes)
    unknown = next((one for one in examples.classes if one not in like.classes), None)
    if named and unknown is not None:
        raise InvalidData(
            f"{examples.name}: its classes must be those of {like.name}, got '{unknown}'; if that lacks some, "
            "--classes names all of them in the model's order"
        )


def _said(examples: Examples) -> set[str]:
    """Return names of the options that examples were opened with."""
    opening = examples.opening
    return set() if opening is None else {*opening.options, *opening.only_in_python}


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(given, str):
        return tuple(map(str, given))
    path = Path(given).expanduser()
    if "," in given and not path.is_file():
        return tuple(name.strip() for name in given.split(","))
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(
            f"--classes must be names with commas, or a file with one a line, got '{given}'"
        ) from error
    names = tuple(line.strip() for line in lines if line.strip())
    if not names:
        raise InvalidData(f"{path}: must hold one name of a class a line, found none")
    return names
