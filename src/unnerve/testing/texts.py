"""The settings with which the conformance suite runs a method: its own ``small``."""

from collections.abc import Callable, Iterator
from typing import Any

from unnerve.core.naming.catalogue import find, names

__all__ = ["small_texts", "texts"]


def texts(kind: str) -> list[str]:
    """Return every method of a kind as on the command line, with each of its small settings."""
    return [text for name in names(kind) for text in small_texts(name, find(kind, name))]


def small_texts(name: str, method: Callable[..., Any]) -> Iterator[str]:
    """Yield a method by its name with each of the settings that its class has as ``small``, or as it is."""
    for given in getattr(method, "small", ("",)):
        yield f"{name}:{given}" if given else name
