"""What the methods of each room look like: the protocols that everything plugs into.

A method states facts of itself as class attributes, or as properties where they depend on its settings. One that is
wanted of every class but no protocol asks for is ``small``: settings as on the command line, ``("steps=5",)``, with
which the method ends quickly. The conformance suite (:mod:`unnerve.testing`) runs it with each of them; a method
without ``small`` is run with its defaults.
Facts for reports, such as ``blind`` or ``words``, may be left out (:mod:`unnerve.core.facts`).
"""

import inspect
from collections.abc import Callable, Generator, Mapping
from typing import Protocol, Self, runtime_checkable

from torch import Tensor

from unnerve.core.facts import OracleFacts, RegionFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier, Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = [
    "EVIDENCE",
    "Aimed",
    "Coverage",
    "Covered",
    "Hunter",
    "InUnits",
    "Lineal",
    "Normed",
    "Oracle",
    "Peered",
    "Perturbation",
    "React",
    "Reaction",
    "Referenced",
    "Score",
    "Search",
    "SearchSpace",
    "Space",
    "evidence",
]

# No protocol: a score is told by the names of its parameters, which no type of a callable can state.
Score = Callable[..., Tensor]
"""Named evidence -> (N,); higher means more suspect. Its parameters name the evidence it needs:
``probabilities`` (N, C) in double precision, ``logits`` (N, C), ``predicted`` (N,), ``draws`` (T, N, C), ``uniform``
(N,), ``neurons`` (N, U), and ``traces``, what the neurons did on training data."""


EVIDENCE = ("probabilities", "logits", "predicted", "draws", "uniform", "neurons", "traces")


def evidence(score: Score) -> tuple[str, ...]:
    """Return the names of the evidence a score asks for; a single parameter of another name means probabilities.

    That is for functions that are given as objects: a score that is found by its name must use the names
    (:func:`~unnerve.core.scores.score_named`).
    """
    names = tuple(inspect.signature(score).parameters)
    return ("probabilities",) if len(names) == 1 and names[0] not in EVIDENCE else names


class Covered(Protocol):
    """What a set of inputs covers by one criterion, grown pass by pass; two of them join with ``|``."""

    @property
    def covered(self) -> int:
        """How many of the criterion's obligations are met."""
        ...

    @property
    def total(self) -> int | None:
        """How many there are, or None where nobody knows."""
        ...

    @property
    def value(self) -> float:
        """The coverage: the share that is met, or the number where there is no total."""
        ...

    def update(self, seen: Observation) -> None:
        """Take in what one pass over N inputs showed."""
        ...

    def news(self, seen: Observation) -> Tensor:
        """Return how many obligations each of N inputs is the first to meet, int64 (N,); the state stays as it is.

        What an earlier row of the same pass meets is not news of a later one: the rows count as taken in one by one.
        """
        ...

    def tensors(self) -> dict[str, Tensor]:
        """Return what was met, as plain data that can be stored; :meth:`load` takes it in."""
        ...

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Take the place of a state that was begun alike and stored by :meth:`tensors`."""
        ...

    def shares(self) -> dict[str, float]:
        """Return the share that is met in each layer; nothing where obligations go across layers."""
        ...

    def __or__(self, other: Self) -> Self:
        """Return what the inputs of either cover; both must have been begun alike."""
        ...


class Coverage(Protocol):
    """A criterion of how much of a network a set of inputs exercises."""

    @property
    def wants(self) -> Want:
        """What it asks of a pass."""
        ...

    @property
    def profiled(self) -> bool:
        """Whether it needs the ranges of the neurons on training data."""
        ...

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Covered:
        """Return the state before any input."""
        ...


React = Callable[[Tensor, Tensor], Tensor]
"""(changed inputs (A, P, ...), the seed of each row (A,)) -> how strongly each neuron reacted, (A, P, U)."""


class Reaction(Protocol):
    """A measure of how strongly each neuron reacts when a seed is changed."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def hidden(self) -> bool:
        """Whether it speaks of the hidden neurons only, else of all that the model counts."""
        ...

    def cost(self, neurons: int) -> int:
        """Return the queries that one changed input costs, if it speaks of so many neurons."""
        ...

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        ...


# Apart from the protocols of their kinds: most methods compare with nothing, and need not say so.
@runtime_checkable
class Referenced(Protocol):
    """A method that may compare with reference data."""

    @property
    def referenced(self) -> bool:
        """Whether it does so, with its settings: it then needs a subject with a reference."""
        ...


@runtime_checkable
class Peered(Protocol):
    """A method that may compare the model with others for the same task."""

    @property
    def peered(self) -> bool:
        """Whether it does so, with its settings: it then needs a subject with peers."""
        ...


class Perturbation(Protocol):
    """A change of an input, given by parameters in the unit cube."""

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return K, the number of parameters for inputs of this shape."""
        ...

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters for ``count`` changes of each of N inputs of this shape: (N, count, K) in ``[0, 1)``."""
        ...

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change inputs (N, ...) by parameters (N, M, K): (N, M, ...)."""
        ...


class SearchSpace(Protocol):
    """Where a search may look: around each seed's inputs, or among the parameters of its changes."""

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Move ``x``, shape (N, ...) or (N, P, ...), in place inside, to the nearest or a near point; return it."""
        ...

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, with the tolerance the region states: bool (N,)."""
        ...

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points inside for each row of ``centre``: (N, count, ...)."""
        ...


# Apart from a search space: a search among the parameters of a change looks in one of which no report speaks.
class Space(SearchSpace, Protocol):
    """Where changed inputs may lie: a region around each seed, inside the range of valid values."""

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        ...


@runtime_checkable
class Lineal(Space, Protocol):
    """A region around a transformed seed: a candidate carries the parameters of the transform."""

    def origins(self, centre: Tensor, parameters: Tensor) -> Tensor:
        """Return the transformed seeds, (N, ...), from seeds (N, ...) and parameters (N, K)."""
        ...

    def permits(self, parameters: Tensor) -> Tensor:
        """Say which parameters (N, K) lie inside their stated bounds: bool (N,)."""
        ...


@runtime_checkable
class InUnits(Space, Protocol):
    """A region that measures in units of its own: methods search in those, and findings are stored in the data's."""

    @property
    def lengths(self) -> Tensor:
        """How long a unit is for each value, in the data's own, (...)."""
        ...

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the largest valid value, in these units."""
        ...

    def measured(self, x: Tensor) -> Tensor:
        """Return inputs of the data, (N, ...), in these units."""
        ...

    def unmeasured(self, x: Tensor) -> Tensor:
        """Return inputs in these units, (N, ...), as the data holds them, valid or not."""
        ...

    def settled(self, x: Tensor, centre: Tensor) -> Tensor:
        """Return the valid inputs of the data, (N, ...), that inputs in these units stand for.

        They lie no farther from their seeds, ``centre`` as the data holds them, than the inputs do.
        """
        ...


@runtime_checkable
class Normed(Space, Protocol):
    """A ball of a norm: it knows how far it reaches, in which box it lies and which step climbs fastest."""

    @property
    def reach(self) -> float:
        """How far a point may lie from the seed, in the region's norm."""
        ...

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value that each coordinate can take: like ``centre``, shape (N, ...)."""
        ...

    def steepest(self, gradient: Tensor) -> Tensor:
        """Return the step of length one that raises a function with this gradient, shape (N, ...), most."""
        ...


class Oracle(Protocol):
    """Says whether the answer to an input is an error."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def target(self) -> int | None:
        """The only class that counts as an error, or None if any wrong one does."""
        ...

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        ...

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Judge every candidate."""
        ...


@runtime_checkable
class Aimed(Protocol):
    """A hunter that looks for something else than errors."""

    @property
    def goal(self) -> Oracle:
        """What proves that it has found it."""
        ...


class Search(Protocol):
    """A way to look for good points that knows neither model nor goal."""

    @property
    def width(self) -> int:
        """Points per seed and step, P."""
        ...

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield points (A, P, ...); be sent (fitness (A, P), keep (A,)) over the rows last yielded; drop the others."""
        ...


class Hunter(Protocol):
    """A method that proposes failing inputs: noise, attack, guided search or fuzzer."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def width(self) -> int:
        """Rows it evaluates per seed and step."""
        ...

    @property
    def regions(self) -> tuple[str, ...] | None:
        """Names of the regions it works in, ``normed`` among them for every ball of a norm; None for any region."""
        ...

    @property
    def draws(self) -> bool | None:
        """Whether it draws random numbers, with its settings; None if only a hunt can tell."""
        ...

    @property
    def start_cost(self) -> int:
        """Queries that a seed costs before the first step."""
        ...

    def step_cost(self, classes: int) -> int:
        """Return the most queries that one step costs a seed."""
        ...

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield candidates (borrowed until the next send); be sent which seeds are still wanted, bool (N,)."""
        ...
