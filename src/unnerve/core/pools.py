"""Hunters that own a pool: a corpus, a queue or a coverage map that all their seeds share."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["Endless", "Pool", "PoolHunter", "PoolState", "endless", "scope"]


@dataclass(frozen=True, eq=False)
class Pool:
    """What a pool hunter is given at every step.

    Parameters
    ----------
    subject : Subject
        Its model is metered: the budget is one purse for all seeds of the pool.
    seeds : Seeds
        N inputs with what the model says of them.
    space : Space
    streams : Streams
        One stream for the pool as a whole: ``streams.uniform(step, draw, shape)`` has shape ``(1, *shape)``.
    wanted : Tensor of shape (N,), bool
        Which seeds are still in the pool; a broken one leaves it if a hunt stops at a seed's first finding.
    step : int
        The number of the step, from 0.
    """

    subject: Subject[Metered]
    seeds: Seeds
    space: Space
    streams: Streams
    wanted: Tensor
    step: int = 0


@dataclass(eq=False)
class PoolState:
    """Where a pool hunter stands between two steps, as plain data that can be stored and read without running code.

    Parameters
    ----------
    tensors : dict of str to Tensor
    values : dict of str to JSON
    """

    tensors: dict[str, Tensor]
    values: dict[str, Any]


@runtime_checkable
class PoolHunter(Protocol):
    """A method whose seeds share what was learnt from any of them.

    Everything that outlives a step is in the state: a pool that was stored, killed and read again must go on as if
    nothing had happened.
    """

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def regions(self) -> tuple[str, ...] | None:
        """Names of the regions it works in, ``normed`` among them for every ball of a norm; None for any region."""
        ...

    def begin(self, pool: Pool) -> PoolState:
        """Return the state before the first step."""
        ...

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        """Go one step on, changing ``state`` in place; return what it proposes, or None if there is nothing left to do.

        A candidate belongs to the root seed of its lineage. A pass that the budget does not cover raises
        :class:`~unnerve.core.wrappers.metering.BudgetSpent`, which ends the hunt.
        """
        ...


@runtime_checkable
class Endless(Protocol):
    """A hunter that says whether it may always have another step, so that only a budget ends it."""

    @property
    def endless(self) -> bool:
        """Whether it has, with its settings."""
        ...


def endless(hunter: object) -> bool:
    """Say whether a hunter may always have another step; one that owns a pool and does not say so is presumed to."""
    if isinstance(hunter, Endless):
        return hunter.endless
    # A queue is refilled by what it finds: few fuzzers end, and a hunt without end is worse than one that ends early.
    return isinstance(hunter, PoolHunter)


def scope(hunter: object) -> str:
    """Return ``pool`` for a hunter whose seeds share a pool, else ``seed``."""
    # Told by what it can do, not by a flag: a class that has begin and step cannot be run seed by seed by mistake.
    return "pool" if isinstance(hunter, PoolHunter) else "seed"
