"""Regions and radii in plain words, from what regions said of themselves."""

import math
from collections.abc import Sequence

from unnerve.core.facts import RegionFacts
from unnerve.core.naming.command_text import number_text
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.thumbnails import pictured

__all__ = ["change_text", "norm_name", "pixels", "radius_text", "region_words"]

_NORMS = {"linf": "L\u221e", "l0": "L0"}


def region_words(region: RegionFacts, shape: Sequence[int], size: float | None = None) -> str:
    """Return where findings lie, as the beginning of a sentence; with another size if one is given."""
    reach = region.size if size is None else size
    words = {"{text}": region.text, "{unit}": "pixel" if pictured(shape) else "value"}
    if reach is not None:
        words |= {"{size}": radius_text(reach), "{percent}": f"{significant(100 * reach)} %"}
    phrase = region.phrase
    for placeholder, word in words.items():  # not str.format: the phrase may come from a stranger's campaign
        phrase = phrase.replace(placeholder, word)
    return printable(phrase)


def norm_name(region: RegionFacts) -> str:
    """Return what distances within a region are measured in; L2 where it has no norm of its own."""
    return _NORMS.get(region.norm or "", "L2")


def radius_text(radius: float) -> str:
    """Write a radius as people do: 0.2, 8/255; else with three digits."""
    exact = number_text(radius)
    return exact if len(exact) <= len("255/255") else significant(radius)


def change_text(change: float | None, region: RegionFacts) -> str:
    """Write a distance in the region's norm in the unit of its radius: 2.23/255 where that is 8/255."""
    in_steps = region.norm in ("linf", "l2") and region.size is not None and radius_text(region.size).endswith("/255")
    return f"{significant(255 * change)}/255" if in_steps and change is not None else significant(change)


def pixels(shape: Sequence[int]) -> int:
    """Return what L0 counts: positions with all their channels, or values where there is no channel axis."""
    return max(1, math.prod(shape[1:] if len(shape) > 1 else shape))
