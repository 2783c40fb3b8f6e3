"""Regions and radii in plain words, read from their descriptions in a plan."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from unnerve.report.parts.names import printable
from unnerve.report.parts.numbers import percent, significant
from unnerve.report.parts.thumbnails import pictured

__all__ = [
    "largest_l2",
    "pixels",
    "radius_text",
    "region_norm",
    "region_text",
    "region_words",
    "smaller_radius",
    "value_range_of",
    "wider_region",
]

_STRICT = {"linf": 8 / 255, "l2": 0.5, "l0": 0.01}
"""A second, smaller radius that a verdict is stated for: common bounds of the field."""

_NORMS = ("linf", "l2", "l0")
_ROUNDING = 1e-5


def region_words(region: Mapping[str, Any], shape: Sequence[int], radius: float | None = None) -> str:
    """Return where findings lie, as the beginning of a sentence; with another radius if one is given."""
    name, own = _parts(region)
    size = own if radius is None else radius
    unit = "pixel" if pictured(shape) else "value"
    if name == "linf":
        return f"within \u00b1{radius_text(size)} per {unit}"
    if name == "l2":
        return f"within an L2 distance of {radius_text(size)}"
    if name == "l0":
        return f"within a change of {percent(size)} of the {unit}s"
    return f"within {printable(region_text(region))}"


def region_text(region: Mapping[str, Any]) -> str:
    """Write a region as on the command line, exactly: ``linf:8/255``."""
    name, radius = _parts(region)
    return name if math.isnan(radius) else f"{name}:{radius_text(radius, exact=True)}"


def radius_text(radius: float, *, exact: bool = False) -> str:
    """Write a radius as people do: 0.2, 8/255; else with all its digits, or three."""
    if len(f"{radius:g}") <= 5 and float(f"{radius:g}") == radius:
        return f"{radius:g}"
    levels = radius * 255
    if 0 < levels < 255 and abs(levels - round(levels)) < 1e-9:
        return f"{round(levels)}/255"
    return repr(float(radius)) if exact else significant(radius)


def smaller_radius(region: Mapping[str, Any], shape: Sequence[int]) -> tuple[float, float] | None:
    """Return a smaller radius worth stating, and the distance of the region's norm up to which it reaches."""
    name, radius = _parts(region)
    bound = _STRICT.get(name)
    if bound is None or radius <= bound * (1 + _ROUNDING):
        return None
    if name == "l0":
        allowed = max(1, int(bound * pixels(shape) + 1e-6))
        return None if allowed >= radius * pixels(shape) else (bound, allowed)
    return bound, bound * (1 + _ROUNDING)


def largest_l2(region: Mapping[str, Any], shape: Sequence[int]) -> float | None:
    """Return the largest L2 distance that fits into a region, None if that is not known."""
    name, radius = _parts(region)
    if name == "l2":
        return radius
    if name == "linf":
        return radius * math.sqrt(math.prod(shape))
    if name == "l0":
        channels = math.prod(shape) / pixels(shape)
        reach = float(region.get("high", 1.0)) - float(region.get("low", 0.0))
        return reach * math.sqrt(max(1, int(radius * pixels(shape) + 1e-6)) * channels)
    return None


def wider_region(region: Mapping[str, Any]) -> dict[str, Any]:
    """Return a region with twice the radius, no larger than the range of the values; the same if it has none."""
    key = next((key for key, value in region.items() if isinstance(value, float)), None)
    if key is None:
        return dict(region)
    radius = 2 * float(region[key])
    return {**region, key: radius if region["name"] == "l2" else min(1.0, radius)}


def region_norm(region: Mapping[str, Any]) -> str:
    """Return the norm that findings in a region are measured in: L2 where it has none of its own."""
    name = str(region.get("name"))
    return name if name in _NORMS else "l2"


def pixels(shape: Sequence[int]) -> int:
    """Return what L0 counts: positions with all their channels, or values where there is no channel axis."""
    return max(1, math.prod(shape[1:] if len(shape) > 1 else shape))


def _parts(region: Mapping[str, Any]) -> tuple[str, float]:
    """Return a region's name and its first setting, which is its size."""
    values = list(region.values())
    size = values[1] if len(values) > 1 else math.nan
    return str(values[0]), float(size) if isinstance(size, int | float) else math.nan


def value_range_of(region: Mapping[str, Any]) -> tuple[float, float]:
    """Return the least and the largest valid value; zero and one where a region does not say."""
    low, high = float(region.get("low", 0.0)), float(region.get("high", 1.0))
    return (low, high) if low < high else (0.0, 1.0)
