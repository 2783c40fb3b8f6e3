"""Methods in a user's own Python, of any kind: ``my_regions.py:Diamond``, ``package.module:steepness``."""

import inspect
from collections.abc import Mapping
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.origins import loaded

__all__ = ["user_method"]

_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "score": ("__call__",),
    "coverage": ("begin",),
    "reaction": ("prepare",),
    "robustness measure": ("scores",),
    "perturbation": ("apply",),
    "region": ("project",),
    "oracle": ("__call__",),
    "search": ("points",),
    "objective": ("prepare",),
    "hunter": ("hunt", "step"),
    "transform": ("__call__",),
    "order": ("values",),
    "defence": ("calibrated", "hardened"),
    "repair": ("batch",),
    "fault": ("recipe",),
}
"""What a method of each kind has, one of these: hunters of a pool take steps, some defences harden a network."""


def user_method(kind: str, name: str, source: str | None = None) -> Any:
    """Return the class, function or object that a name leads to, if it is a method of the kind.

    Parameters
    ----------
    kind : str
    name : str
        ``FILE.py:name`` or ``package.module:name``.
    source : str, optional
        The hash that its program must have.
    """
    if kind not in _MEMBERS:
        raise InvalidSetting(f"a {kind} cannot be taken from a file, got '{name}'")
    thing, _ = loaded(name, source)
    members = _MEMBERS[kind]
    if not any(_has(thing, member) for member in members):
        hint = f"; an attack is given as foreign:{name}" if kind == "hunter" and callable(thing) else ""
        raise InvalidSetting(f"{name} is no {kind}: it has no '{members[0]}'{hint}")
    return thing


def _has(thing: Any, member: str) -> bool:
    """Say whether an object, or the objects of a class, have a member."""
    # Looked up in the classes, not with hasattr: that would run a stranger's property just to see whether it is there.
    owner = thing if inspect.isclass(thing) else type(thing)
    return any(member in vars(one) for one in owner.__mro__)
