"""A reaction and its unit in words."""

from collections.abc import Mapping
from typing import Any

from unnerve.reports.parts.names import printable
from unnerve.studies.react.result import Reactions

__all__ = ["reaction_name", "unit"]


def reaction_name(reaction: Mapping[str, Any]) -> str:
    """Write a reaction with its settings."""
    settings = ", ".join(f"{key}={value}" for key, value in reaction.items() if key != "name")
    return printable(f"{reaction['name']} ({settings})" if settings else str(reaction["name"]))


def unit(found: Reactions) -> str:
    """Return what reactions are measured in."""
    return printable(found.words.unit)
