"""Rules that all regions share."""

from math import isfinite

import torch
from torch import Tensor

from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidSetting

__all__ = [
    "LEAST",
    "broadcast_over",
    "check_bounds",
    "check_radius",
    "of_range",
    "stated_within",
    "vector_lengths",
]

LEAST = 1e-12
"""The least length that something is divided by."""


def broadcast_over(centre: Tensor, x: Tensor) -> Tensor:
    """Return ``centre``, shape (N, ...), so that it broadcasts over ``x``, shape (N, ...) or (N, P, ...)."""
    return centre.unsqueeze(1) if x.ndim > centre.ndim else centre


def check_radius(radius: float) -> None:
    """Raise unless the radius is positive and finite."""
    if not 0 < radius < float("inf"):
        raise InvalidSetting(f"radius must be > 0 and finite, got {radius}")


def check_bounds(low: float, high: float) -> None:
    """Raise unless the valid range is one."""
    if not low < high:
        raise InvalidSetting(f"low must be < high, got {low} and {high}")
    if not isfinite(high - low):  # tolerances are relative to the range
        raise InvalidSetting(f"low and high must be finite, got {low} and {high}")


def of_range(low: float, high: float) -> str:
    """Return words for the range of the values that a radius is to be compared with; none for the usual one."""
    return "" if (low, high) == UNIT else f" (of values from {low:g} to {high:g})"


def stated_within(bound: float, radius: float) -> tuple[float, float] | None:
    """Return a common bound of the field, and how far findings within it may lie; None if the radius is no larger."""
    farthest = bound * (1 + 1e-5)  # a change of exactly the bound may be stored a rounding error farther
    return None if radius <= farthest else (bound, farthest)


def vector_lengths(x: Tensor, axes: int, least: float = LEAST) -> Tensor:
    """Return Euclidean lengths over the last ``axes`` axes, which stay with size one; none is less than ``least``."""
    lengths: Tensor = torch.linalg.vector_norm(x, dim=tuple(range(-axes, 0)), keepdim=True)
    return lengths.clamp_min_(least)
