"""The swarm that a hunter's settings describe."""

from dataclasses import fields
from typing import Any

from unnerve.generate.searches.pso import PSO

__all__ = ["swarm"]


def swarm(hunter: Any) -> PSO:
    """Return the particle swarm with the settings of its own names that a hunter, a dataclass, has."""
    return PSO(**{setting.name: getattr(hunter, setting.name) for setting in fields(PSO)})
