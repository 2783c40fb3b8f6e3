"""From a specification to shards: pure, so that every worker, and every later run, cuts the work in the same places."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["Plan", "Shard", "difference", "shards"]


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
    """

    model: Mapping[str, Any]
    data: Mapping[str, Any]
    methods: tuple[Mapping[str, Any], ...]
    region: Mapping[str, Any]
    oracle: Mapping[str, Any]
    seeds: int
    queries: int | None = None
    keep_going: bool = True
    quantised: bool = False
    minimum_margin: float = 1e-4
    seed: int = 0
    shard: int = 50

    def __post_init__(self) -> None:
        for name in ("seeds", "shard"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if self.queries is not None and self.queries < 1:
            raise InvalidSetting(f"queries must be >= 1, got {self.queries}")

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Plan":
        """Read what :meth:`to_json` wrote."""
        return cls(**{**value, "methods": tuple(value["methods"])})


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


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    """Name what differs between two plans, for a refusal: ``region: linf 0.1, now linf 0.2``."""
    keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    return [f"{key}: {json.dumps(old.get(key))}, now {json.dumps(new.get(key))}" for key in keys]
