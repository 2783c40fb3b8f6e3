"""Notes of a campaign, read with suspicion: a seal tells damage, but a stranger can seal what he likes."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.studies.gates.gate import GateSettings

__all__ = ["changes_from_json", "limits_from_json"]


def changes_from_json(noted: Mapping[str, Any]) -> dict[str, float]:
    """Return the smallest change that broke each seed; raises if that is not what was noted."""
    seeds = noted.get("seeds")
    if not isinstance(seeds, Mapping) or not all(_is_distance(one) for one in seeds.values()):
        raise InvalidData("smallest_changes.json must have a distance >= 0 for each seed")
    return {str(name): float(distance) for name, distance in seeds.items()}


def limits_from_json(noted: Mapping[str, Any]) -> GateSettings:
    """Return the limits that were stated; raises if that is not what was noted."""
    stated = noted.get("fail_if")
    if not isinstance(stated, list) or not all(isinstance(one, str) for one in stated):
        raise InvalidData("limits.json must have a list of limits")
    try:
        return GateSettings(tuple(stated), str(noted.get("undecided")))
    except InvalidSetting as problem:
        raise InvalidData(f"limits.json cannot be read: {problem}") from problem


def _is_distance(value: Any) -> bool:
    try:
        return type(value) in (int, float) and isfinite(value) and value >= 0
    except OverflowError:  # JSON may hold whole numbers that no float reaches
        return False
