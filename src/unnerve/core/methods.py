"""What the methods of each room look like: the protocols that everything plugs into."""

import inspect
from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject

__all__ = ["Hunter", "Objective", "Oracle", "Perturbation", "Score", "Search", "Space", "evidence"]

M_contra = TypeVar("M_contra", bound=Classifier, contravariant=True)

Score = Callable[..., Tensor]
"""Named evidence -> (N,); higher means more suspect. Its parameters name the evidence it needs:
``probabilities`` (N, C), ``draws`` (T, N, C), ``uniform`` (N,)."""


def evidence(score: Score) -> tuple[str, ...]:
    """Return the names of the evidence a score asks for."""
    return tuple(inspect.signature(score).parameters)


class Perturbation(Protocol):
    """A change of an input, given by parameters in the unit cube."""

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters for ``count`` changes of each of N inputs of this shape: (N, count, K) in ``[0, 1)``."""
        ...

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change inputs (N, ...) by parameters (N, M, K): (N, M, ...)."""
        ...


class Space(Protocol):
    """Where changed inputs may lie: a region around each seed, inside the range of valid values."""

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Move ``x``, shape (N, ...), in place to the nearest point (or a near one, as stated) inside; return it."""
        ...

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, with the tolerance the region states: bool (N,)."""
        ...

    def sample(self, centre: Tensor, streams: Streams, step: int) -> Tensor:
        """Draw one point inside for each row of ``centre``."""
        ...


class Oracle(Protocol[M_contra]):
    """Says whether the answer to an input is an error."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    def __call__(self, subject: Subject[M_contra], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Judge every candidate."""
        ...


class Objective(Protocol[M_contra]):
    """A goal for a search: it says how good a candidate is."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    def prepare(self, subject: Subject[M_contra], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Look at the seeds once; return fitness(candidates (A, P, ...), rows (A,)) -> (A, P), higher is better."""
        ...


class Search(Protocol):
    """A way to look for good points that knows neither model nor goal."""

    def points(self, space: Space, centre: Tensor, streams: Streams) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield points (A, P, ...); be sent (fitness (A, P), keep (A,)) over the rows last yielded."""
        ...


class Hunter(Protocol[M_contra]):
    """A method that proposes failing inputs: noise, attack, guided search or fuzzer."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def width(self) -> int:
        """Rows it evaluates per seed and step."""
        ...

    def hunt(
        self, subject: Subject[M_contra], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield candidates (borrowed until the next send); be sent which seeds are still wanted, bool (N,)."""
        ...
