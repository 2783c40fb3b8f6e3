"""What the goals of searches look like: how good a candidate is, and how long that can be compared."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.model import Capability
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["Meeting", "Objective", "Staged"]


class Objective(Protocol):
    """A goal for a search: it says how good a candidate is."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def start_cost(self) -> int:
        """Queries that a seed costs before its first candidate."""
        ...

    def cost(self, classes: int) -> int:
        """Return the queries that the fitness of one candidate costs."""
        ...

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Look at the seeds once; return fitness(candidates (A, P, ...), rows (A,)) -> (A, P), higher is better."""
        ...


@runtime_checkable
class Staged(Protocol):
    """An objective that may change with the state of the search."""

    @property
    def staged(self) -> bool:
        """Whether values can be compared within one iteration of a seed only."""
        ...


@runtime_checkable
class Meeting(Protocol):
    """A fitness that knows which candidates already show what is looked for."""

    def __call__(self, candidates: Tensor, rows: Tensor, /) -> Tensor:
        """Return the fitness of candidates (A, P, ...) of the seeds in rows (A,): (A, P)."""
        ...

    @property
    def met(self) -> Tensor:
        """Which candidates of the last call do, bool (A, P)."""
        ...
