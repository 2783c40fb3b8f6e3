"""What a method says of itself, in words."""

import inspect
from collections.abc import Callable
from typing import Any

from unnerve.core.fitting import NORMED
from unnerve.core.methods import evidence
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import settings

__all__ = ["method_facts"]


def method_facts(kind: str, method: Callable[..., Any]) -> tuple[str, ...]:
    """Return a line for each fact that a method of a kind states, with its default settings where they decide."""
    if kind == "score":
        return (f"asks for: {', '.join(evidence(method))}",)
    if not inspect.isclass(method):
        return ()
    known = settings(method)
    owner = method if any(one.default is one.empty for one in known.values()) else method()
    said = {key: getattr(owner, key) for key in _FACTS if key not in known and hasattr(owner, key)}
    shown = {_FACTS[key]: value for key, value in said.items() if not isinstance(value, property)}
    return tuple(f"{heading}: {words(value)}" for (heading, words), value in shown.items())


def _needs(needed: Capability) -> str:
    return ", ".join(str(one.name).lower() for one in needed) or "answers only"


def _regions(names: tuple[str, ...] | None) -> str:
    if names is None:
        return "any"
    others = [" and any other ball of a norm"] if NORMED in names else []
    return ", ".join(name for name in names if name != NORMED) + "".join(others)


def _drawn(drawn: bool | None) -> str:
    return {True: "drawn", False: "none", None: "only a hunt can tell"}[drawn]


_FACTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "needs": ("needs", _needs),
    "profiled": ("profile of training data", lambda needed: "needed" if needed else "not needed"),
    "regions": ("regions", _regions),
    "draws": ("random numbers", _drawn),
}
"""Attribute -> how it is called in help, and its value in words."""
