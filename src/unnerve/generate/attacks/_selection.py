"""Some of the rows of everything an attack keeps in mind."""

from dataclasses import fields
from typing import Any, TypeVar

from torch import Tensor

__all__ = ["broadcast_over", "selected"]

State = TypeVar("State")


def selected(state: State, keep: Tensor) -> State:
    """Return a dataclass of tensors (N, ...), or of what is indexed like them, with the rows of a mask only."""
    if bool(keep.all()):
        return state
    kind: Any = type(state)
    parts: State = kind(*(getattr(state, part.name)[keep] for part in fields(kind)))
    return parts


def broadcast_over(numbers: Tensor, x: Tensor) -> Tensor:
    """Return (N,) so that it broadcasts over ``x``, shape (N, ...)."""
    return numbers.view(-1, *[1] * (x.ndim - 1))
