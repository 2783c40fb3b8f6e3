"""From a specification to shards: pure, so that every worker, and every later run, cuts the work in the same places."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import UnionType
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["Plan", "Shard", "difference", "shards"]

_MOST_SHARDS = 1_000_000
_MOST_SEEDS = 9_999_999


@dataclass(frozen=True)
class Plan:
    """Everything that decides what a campaign finds; stored in ``campaign.json``.

    Parameters
    ----------
    model, data : dict
        ``name``, ``source`` (how to load it again) and ``hash``.
    methods : tuple of dict
        Hunters, as the catalogue describes them.
    region, oracle : dict
    seeds : int
        How many seeds there are.
    queries : int or None
        Most queries per seed and method.
    again : bool
        A method that has ended starts once more, with other random numbers, while its seeds have queries left.
    keep_going : bool
        Go on after a seed's first finding, for further kinds of errors.
    quantised : bool
        A finding must still fail after rounding to 8 bits.
    minimum_margin : float
        Least margin of a finding, in logits.
    seed : int
        Of all random streams.
    shard : int
        Seeds per shard.
    reference : dict or None
        ``name``, ``hash`` and ``inputs`` of the data that the methods compare with, if one of them does.
    """

    model: Mapping[str, Any]
    data: Mapping[str, Any]
    methods: tuple[Mapping[str, Any], ...]
    region: Mapping[str, Any]
    oracle: Mapping[str, Any]
    seeds: int
    queries: int | None = None
    again: bool = False
    keep_going: bool = True
    quantised: bool = False
    minimum_margin: float = 1e-4
    seed: int = 0
    shard: int = 50
    reference: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("seeds", "shard"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if not self.methods:
            raise InvalidSetting("methods must name at least one")
        if self.seeds > _MOST_SEEDS:
            raise InvalidSetting(f"seeds must be <= {_MOST_SEEDS:,}, got {self.seeds:,}")
        if -(-self.seeds // self.shard) * len(self.methods) > _MOST_SHARDS:
            raise InvalidSetting(f"a campaign has at most {_MOST_SHARDS:,} shards; make them larger than {self.shard}")
        if self.queries is not None and self.queries < 1:
            raise InvalidSetting(f"queries must be >= 1, got {self.queries}")
        if self.again and self.queries is None:
            raise InvalidSetting("again needs queries: without a budget there would be no end")

    @property
    def labels(self) -> tuple[str, ...]:
        """A short name for each method: its own, with the settings in which it differs from its namesakes."""
        return tuple(
            _label(method, [m for m in self.methods if m["name"] == method["name"]]) for method in self.methods
        )

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Plan":
        """Read what :meth:`to_json` wrote; nothing of it is built or imported."""
        plan = cls(**{**_typed(value), "methods": tuple(value["methods"])})
        if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in plan.methods):
            raise InvalidSetting("every method must have a name")
        return plan


@dataclass(frozen=True)
class Shard:
    """A part of a campaign that is run, stored and resumed as a whole.

    Parameters
    ----------
    method : int
        Number of the hunter in the plan.
    start, stop : int
        Its seeds.
    """

    method: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """File name without ending; sorts in the plan's order."""
        return f"method{self.method:02d}-seeds{self.start:07d}-{self.stop:07d}"


def shards(plan: Plan) -> list[Shard]:
    """Cut a plan into shards, in a fixed order."""
    starts = range(0, plan.seeds, plan.shard)
    return [
        Shard(method, start, min(start + plan.shard, plan.seeds))
        for method in range(len(plan.methods))
        for start in starts
    ]


_TYPES: Mapping[str, type | UnionType] = {
    "model": dict,
    "data": dict,
    "methods": list,
    "region": dict,
    "oracle": dict,
    "queries": int | None,
    "again": bool,
    "keep_going": bool,
    "quantised": bool,
    "minimum_margin": int | float,
    "seeds": int,
    "seed": int,
    "shard": int,
    "reference": dict | None,
}


def _typed(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return JSON as it is if its values are of the types that a plan has."""
    if not isinstance(value, Mapping):
        raise InvalidSetting("a plan must be an object")
    for key, kind in _TYPES.items():
        given = value.get(key)
        if key in value and (not isinstance(given, kind) or (isinstance(given, bool) and kind is not bool)):
            raise InvalidSetting(f"{key} cannot be {json.dumps(given)[:40]}")
    return value


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    """Name what differs between two plans, for a refusal: ``region.radius: 0.1, now 0.2``."""
    before, after = _flat(old), _flat(new)
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    return [f"{key}: {_said(before, key)}, now {_said(after, key)}" for key in keys]


def _flat(value: Any, place: str = "") -> dict[str, Any]:
    """Return nested JSON as one level, with the way to each value as its key."""
    if isinstance(value, Mapping):
        parts: Any = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value, start=1)
    else:
        return {place: value}
    return {
        way: leaf for key, one in parts for way, leaf in _flat(one, f"{place}.{key}" if place else str(key)).items()
    }


def _said(values: Mapping[str, Any], key: str) -> str:
    return json.dumps(values[key]) if key in values else "nothing"


def _label(method: Mapping[str, Any], namesakes: Sequence[Mapping[str, Any]]) -> str:
    settings = [_flat(one) for one in namesakes]
    own = _flat(method)
    differing = [key for key in own if any(one.get(key) != own[key] for one in settings)]
    shown = ",".join(f"{key.removesuffix('.name')}={own[key]}" for key in differing)
    return f"{method['name']}:{shown}" if shown else str(method["name"])
