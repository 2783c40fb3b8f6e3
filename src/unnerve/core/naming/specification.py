"""Methods in words: ``pgd:steps=40,step=0.01``, ``linf:8/255``, ``guided:search=pso(particles=50)``, ``my.py:Ball``."""

import re
from dataclasses import dataclass
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.storage.limits import NESTING

__all__ = ["Specification", "several", "specification", "specifications"]

_NAME = r"[^:=,()]+\.py:[A-Za-z_]\w*|[A-Za-z_]\w*(?:\.\w+)+:[A-Za-z_]\w*|[A-Za-z][\w-]*"
"""``FILE.py:name``, ``package.module:name``, or the name of a method."""

_SHAPE = re.compile(rf"(?P<name>{_NAME})(?:\((?P<inner>.*)\)|:(?P<rest>.*))?", re.DOTALL)


@dataclass(frozen=True)
class Specification:
    """A method's name and settings as the user wrote them.

    Parameters
    ----------
    name : str
        With underscores, in lower case; or ``FILE.py:name`` or ``package.module:name``, as they are.
    settings : tuple of (str, str)
        In order; an empty key stands for "the first setting".
    """

    name: str
    settings: tuple[tuple[str, str], ...] = ()


def specification(text: str) -> Specification:
    """Read ``NAME``, ``NAME:settings`` or ``NAME(settings)``; settings are ``key=value`` or, first, a bare value."""
    _check_parentheses(text)
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise InvalidSetting(f"must be NAME or NAME:key=value,key=value, got '{text}'")
    inner = match["inner"] if match["inner"] is not None else match["rest"]
    settings = []
    for place, part in enumerate(_split(inner or "")):
        key, equals, value = part.partition("=")
        if equals and re.fullmatch(r"\w+", key.strip()):
            settings.append((key.strip(), value.strip()))
        elif place == 0:
            settings.append(("", part.strip()))
        else:
            raise InvalidSetting(f"settings must be key=value, got '{part}' in '{text}'")
    name = match["name"] if ":" in match["name"] else match["name"].replace("-", "_").lower()
    return Specification(name, tuple(settings))


def specifications(text: str) -> list[str]:
    """Split ``pgd:steps=10,step=0.01,random`` into methods: what stands as key=value belongs to the one before."""
    methods: list[str] = []
    _check_parentheses(text)
    for piece in _split(text):
        # A comma separates both settings and methods; a method's name never has an equals sign.
        if methods and "=" in piece.partition(":")[0].partition("(")[0]:
            methods[-1] += f",{piece.strip()}"
        else:
            methods.append(piece.strip())
    if not methods:
        raise InvalidSetting("methods must name at least one; unnerve methods lists them")
    doubled = next((method for place, method in enumerate(methods) if method in methods[:place]), None)
    if doubled is not None:
        raise InvalidSetting(f"'{doubled}' is named twice")
    return methods


def several(methods: Any) -> list[Any]:
    """Return methods one by one, however they were given.

    Parameters
    ----------
    methods : str, method, or sequence of str or methods
        Text as for :func:`specifications`; a sequence is a list or a tuple; everything else is one method.
    """
    if isinstance(methods, str):
        return specifications(methods)
    found = list(methods) if isinstance(methods, list | tuple) else [methods]
    if not found:
        raise InvalidSetting("methods must name at least one; unnerve methods lists them")
    return found


def _check_parentheses(text: str) -> None:
    """Raise unless parentheses come in pairs, and not too deep for whoever reads them."""
    depth, deepest = 0, 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        deepest = max(deepest, depth)
        if depth < 0:
            break
    if depth != 0:
        raise InvalidSetting(f"parentheses must come in pairs, got '{text}'")
    if deepest > NESTING:
        raise InvalidSetting(f"methods must be nested <= {NESTING} deep, got {deepest} in '{text}'")


def _split(text: str) -> list[str]:
    """Split at the commas that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
