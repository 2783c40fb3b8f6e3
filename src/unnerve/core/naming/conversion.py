"""Settings in words as values of the type that an annotation asks for: ``8/255``, ``yes``, ``none``."""

import typing
from types import UnionType
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["alternatives", "converted"]

_LARGEST = 1e15
"""No setting needs more; NaN and infinity, and numbers that no index reaches, are slips of the finger."""

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """Return the types that an annotation allows: those of a union, or the only one."""
    return typing.get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)


def converted(where: str, text: str, annotation: Any) -> object:
    """Return a text as a value of the first type that fits; ``where`` names the setting in the error if none does."""
    kinds = alternatives(annotation)
    if text.lower() == "none" and type(None) in kinds:
        return None
    # From narrow to wide: 40 is a whole number before it is a number, and a number before it is a word.
    for kind in (kind for kind in (bool, int, float, str) if kind in kinds):
        try:
            value = _plain(text, kind)
        except (KeyError, ValueError, ZeroDivisionError):
            continue
        if isinstance(value, int | float) and not abs(value) <= _LARGEST:
            raise InvalidSetting(f"{where} must be a number of at most {_LARGEST:.0e}, got '{text}'")
        return value
    wanted = " or ".join("none" if kind is type(None) else getattr(kind, "__name__", str(kind)) for kind in kinds)
    raise InvalidSetting(f"{where} must be {wanted}, got '{text}'")


def _plain(text: str, kind: type) -> object:
    if kind is bool:
        return _TRUTH[text.lower()]
    if kind is float and "/" in text:
        above, below = text.split("/", 1)
        return float(above) / float(below)
    return kind(text)
