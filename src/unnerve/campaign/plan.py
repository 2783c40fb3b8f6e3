"""From a specification to shards: pure, so that every worker, and every later run, cuts the work in the same places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, TypeAlias, TypeVar

from unnerve.campaign.differences import flat
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import MethodFacts, OracleFacts, RegionFacts
from unnerve.core.methods import Hunter, Oracle, Space
from unnerve.core.naming.catalogue import describe
from unnerve.core.pools import PoolHunter, scope
from unnerve.core.storage.limits import PROOFS

__all__ = ["HuntPlan", "Plan", "Shard", "Source", "StoredPlan", "shards"]

# Each is a file: folders of more are slow to list everywhere.
_MOST_SHARDS = 1_000_000
# Names of shards have seven digits, and must sort in the order of the seeds.
_MOST_SEEDS = 9_999_999

H = TypeVar("H")
R = TypeVar("R")
O = TypeVar("O")  # noqa: E741 - of the oracle


@dataclass(frozen=True)
class Source:
    """Where a model or data came from.

    Parameters
    ----------
    name : str
        How the user named it.
    hash : str
        What tells it from others, in hexadecimal.
    details : dict of str to JSON
        What else decides what is found: which neurons count, how many inputs were looked at.
    opening : Opening
        How it was opened.
    """

    name: str
    hash: str
    details: Mapping[str, Any] = field(default_factory=dict)
    opening: Opening = field(default_factory=Opening)


@dataclass(frozen=True)
class Plan(Generic[H, R, O]):
    """Everything that decides what a campaign finds.

    A plan that is run holds the hunters, the region and the oracle themselves (:data:`HuntPlan`); one that was read
    from a folder holds what they said of themselves (:data:`StoredPlan`), and nothing of it can be run.

    Parameters
    ----------
    model, data : Source
    methods : tuple of Hunter, or of MethodFacts
    region : Space, or RegionFacts
    oracle : Oracle, or OracleFacts
    seeds : int
        How many seeds there are.
    queries : int or None
        Most queries per seed and method; a pool has as many for each of its seeds, and divides them freely.
    again : bool
        A method that has ended starts once more, with other random numbers, while its seeds have queries left.
    keep_going : bool
        Go on after a seed's first finding, for further kinds of errors.
    quantised : bool
        A finding must still fail after rounding to 8 bits.
    minimum_margin : float
        Least margin of a finding, in logits.
    proofs : int
        Of a model that is unstable, in how many runs a finding must fail, every time; a stable one is believed after
        the second.
    seed : int
        Of all random streams.
    shard : int
        Seeds per shard.
    pools : int
        How many pools the seeds form, for methods whose seeds share one.
    reference : Source or None
        The data that the methods compare with, if one of them does.
    call : Call or None
        The verb that made the plan; it decides nothing, and lets a report say how to repeat the run.
    """

    model: Source
    data: Source
    methods: tuple[H, ...]
    region: R
    oracle: O
    seeds: int
    queries: int | None = None
    again: bool = False
    keep_going: bool = True
    quantised: bool = False
    minimum_margin: float = 1e-4
    proofs: int = 10
    seed: int = 0
    shard: int = 50
    pools: int = 1
    reference: Source | None = None
    call: Call | None = None

    def __post_init__(self) -> None:
        for name in ("seeds", "shard", "pools"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if not self.methods:
            raise InvalidSetting("methods must name at least one")
        if self.seeds > _MOST_SEEDS:
            raise InvalidSetting(f"seeds must be <= {_MOST_SEEDS:,}, got {self.seeds:,}")
        if self.pools > self.seeds:
            raise InvalidSetting(f"pools must be <= the number of inputs, {self.seeds}, got {self.pools}")
        if -(-self.seeds // self.shard) * len(self.methods) > _MOST_SHARDS:
            raise InvalidSetting(f"a campaign has at most {_MOST_SHARDS:,} shards; make them larger than {self.shard}")
        if not 2 <= self.proofs <= PROOFS:
            raise InvalidSetting(f"proofs must be in [2, {PROOFS}], got {self.proofs}")
        if self.queries is not None and self.queries < 1:
            raise InvalidSetting(f"queries must be >= 1, got {self.queries}")
        if self.again and self.queries is None:
            raise InvalidSetting("again needs queries: without a budget there would be no end")

    @property
    def labels(self) -> tuple[str, ...]:
        """A short name for each method: its own, with the settings in which it differs from its namesakes."""
        described = [_described(method) for method in self.methods]
        return tuple(_label(one, [other for other in described if other["name"] == one["name"]]) for one in described)


HuntPlan: TypeAlias = Plan[Hunter | PoolHunter, Space, Oracle]
StoredPlan: TypeAlias = Plan[MethodFacts, RegionFacts, OracleFacts]


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


def shards(plan: HuntPlan | StoredPlan) -> list[Shard]:
    """Cut a plan into shards, in a fixed order; a pool is one shard, since it cannot be cut without changing it."""
    return [
        Shard(place, start, stop) for place, method in enumerate(plan.methods) for start, stop in _cuts(plan, method)
    ]


def _cuts(plan: HuntPlan | StoredPlan, method: object) -> list[tuple[int, int]]:
    if _scope(method) == "pool":
        # Pools of equal size, give or take one seed.
        ends = [plan.seeds * pool // plan.pools for pool in range(plan.pools + 1)]
        return list(pairwise(ends))
    return [(start, min(start + plan.shard, plan.seeds)) for start in range(0, plan.seeds, plan.shard)]


def _scope(method: object) -> str:
    return method.scope if isinstance(method, MethodFacts) else scope(method)


def _described(method: object) -> Mapping[str, Any]:
    return method.described if isinstance(method, MethodFacts) else describe(method)


def _label(method: Mapping[str, Any], namesakes: Sequence[Mapping[str, Any]]) -> str:
    settings = [flat(one) for one in namesakes]
    own = flat(method)
    differing = [key for key in own if any(one.get(key) != own[key] for one in settings)]
    shown = ",".join(f"{key.removesuffix('.name')}={own[key]}" for key in differing)
    return f"{method['name']}:{shown}" if shown else str(method["name"])
