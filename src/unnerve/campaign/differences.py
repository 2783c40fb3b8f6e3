"""What differs between two values of JSON, in words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["differences", "flat"]


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    """Name what differs, for a refusal: ``region.radius: 0.1, now 0.2``."""
    before, after = flat(old), flat(new)
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    return [f"{key}: {_said(before, key)}, now {_said(after, key)}" for key in keys]


def flat(value: Any, place: str = "") -> dict[str, Any]:
    """Return nested JSON as one level, with the way to each value as its key."""
    if isinstance(value, Mapping):
        parts: Any = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value, start=1)
    else:
        return {place: value}
    return {way: leaf for key, one in parts for way, leaf in flat(one, f"{place}.{key}" if place else str(key)).items()}


def _said(values: Mapping[str, Any], key: str) -> str:
    return json.dumps(values[key]) if key in values else "nothing"
