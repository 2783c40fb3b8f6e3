"""Attacks that were given as objects: a plan is JSON, and has only their names."""

from typing import Any

from unnerve.core.origins import loaded, origin

__all__ = ["kept", "recalled"]

_KEPT: dict[tuple[str, str], Any] = {}


def kept(thing: Any) -> tuple[str, str]:
    """Keep an attack that was given as an object in mind, and return its name and hash."""
    name, source = origin(thing)
    _KEPT[name, source] = thing
    return name, source


def recalled(name: str, source: str | None = None) -> tuple[Any, str]:
    """Return the attack that a name stands for, and its hash; with a hash, the attack that has it or none."""
    if source is not None and (name, source) in _KEPT:
        return _KEPT[name, source], source
    return loaded(name, source)
