"""DeepHunter: metamorphic mutants of a queue that grows by new coverage (Xie et al., ISSTA 2019)."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.fitting import require_region
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Capability, Instrumented, Observation, require
from unnerve.core.pools import Pool, PoolState
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers._mutations import lit_or_blurred, pixel_mutants
from unnerve.generate.fuzzers._schedules import SCHEDULES
from unnerve.generate.regions.lineage import Lineage
from unnerve.measure.coverages.kmnc import KMNC

__all__ = ["DeepHunter"]

_COLUMNS = ("inputs", "roots", "times", "parameters", "transformed")
_COVERAGE = "coverage."
_TOSSES = 64
_KEEPS = ("coverage", "all", "nothing")


@dataclass(frozen=True)
class DeepHunter:
    """Mutate entries of a queue; mutants that are answered correctly and cover something new join it.

    In the ball of a norm, an image is lightened, brightened, blurred, or has pixels or noise changed, and is brought
    back into the ball. In the region ``lineage``, an image may be transformed once in its lineage, as far as the
    region's transform goes; all else changes few values, or all of them a little, measured from the transformed seed.

    Parameters
    ----------
    criterion : Coverage
        What is covered: kmnc with 1,000 sections, or any other criterion.
    mutants : int
        Per entry and step, >= 1.
    entries : int
        That are mutated together in a step, >= 1.
    schedule : str
        Which entries come next: ``prob`` goes round the queue and takes one the less likely the more often it was
        taken, ``uniform`` draws, ``recent`` prefers the newest.
    keep : str
        Which correctly answered mutants join the queue: ``coverage``, those that cover something new; ``all``;
        ``nothing``. The last two are the same search without coverage.
    faithful : bool
        As it was published, with transformations that no ball of a norm contains: only in the region ``lineage``, which
        is its region if none is named.

    References
    ----------
    Xie et al., "DeepHunter: A Coverage-Guided Fuzz Testing Framework for Deep Neural Networks", 2019.
    """

    criterion: Coverage = field(default_factory=KMNC)
    mutants: int = 20
    entries: int = 16
    schedule: str = "prob"
    keep: str = "coverage"
    faithful: bool = False
    needs = Capability.NEURONS
    endless = True
    small = ("mutants=10,entries=6", "nc(0.5),mutants=10,entries=5,schedule=recent")

    def __post_init__(self) -> None:
        for name in ("mutants", "entries"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        for name, known in (("schedule", tuple(SCHEDULES)), ("keep", _KEEPS)):
            if getattr(self, name) not in known:
                raise InvalidSetting(f"{name} must be one of {', '.join(known)}, got '{getattr(self, name)}'")

    @property
    def regions(self) -> tuple[str, ...] | None:
        """Any, or where it may do all that was published: what it finds there is not compared with other regions."""
        return ("lineage",) if self.faithful else None

    @property
    def profiled(self) -> bool:
        """Whether its criterion compares with the range of every neuron on training data."""
        return self.criterion.profiled

    def begin(self, pool: Pool) -> PoolState:
        """Return a queue of the seeds; they cover nothing yet, for the clean pass did not look at neurons."""
        require(pool.subject.model, self.needs, "deephunter")
        require_region(self, pool.space)
        x, count = pool.seeds.batch.inputs, len(pool.seeds)
        same = _identity(pool)
        corpus = Corpus.begun(
            inputs=x,
            roots=torch.arange(count),
            times=torch.zeros(count, dtype=torch.int64),
            parameters=same.expand(count, -1),
            transformed=torch.zeros(count, dtype=torch.bool),
        )
        # Differs: the release starts with what its first seeds cover, by a pass of its own; that pass would have to be
        # paid for, and the first mutants are so near to their seeds that they cover much the same.
        state, covered = corpus.state, self._covered(pool, None)
        state.tensors |= {f"{_COVERAGE}{name}": one for name, one in covered.tensors().items()}
        state.values["cursor"] = 0
        return state

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        """Mutate some entries; there is always another step."""
        # Differs: the release mutates one entry at a time; several make a batch that a network is quick with.
        corpus = Corpus(state, _COLUMNS)
        chosen = self._chosen(pool, state).repeat_interleave(self.mutants)
        roots = corpus["roots"][chosen]
        mutants, parameters, transformed = self._mutated(pool, corpus, chosen)
        seen = pool.subject.model.of(roots).observe(mutants, self.criterion.wants)
        lead = seen.lead(pool.seeds.expected[roots].to(seen.logits.device)).cpu()
        new = self._new(pool, state, seen, (lead > 0).nonzero().flatten())
        columns = {"inputs": mutants, "roots": roots, "parameters": parameters, "transformed": transformed}
        times = torch.zeros(len(new), dtype=torch.int64)
        corpus.append(**{name: one[new] for name, one in columns.items()}, times=times)
        # One pick an entry, the mutant that comes nearest to an error, as every method of an arena has one a step.
        best = lead.view(-1, self.mutants).argmin(dim=1) + torch.arange(0, len(lead), self.mutants)
        own = parameters[best] if isinstance(pool.space, Lineage) else None
        return Candidates(mutants[best], roots[best], pool.step, own)

    def _chosen(self, pool: Pool, state: PoolState) -> Tensor:
        """Return the entries that are mutated next, int64, whose seeds are still in the pool."""
        corpus = Corpus(state, _COLUMNS)
        living = pool.wanted[corpus["roots"]].nonzero().flatten()
        draws = pool.streams.uniform(pool.step, 0, (self.entries, _TOSSES))[0]
        chosen, cursor = SCHEDULES[self.schedule](living, corpus["times"], int(state.values["cursor"]), draws)
        state.values["cursor"] = cursor
        found = torch.tensor(chosen)
        corpus["times"].index_add_(0, found, torch.ones_like(found))
        return found

    def _mutated(self, pool: Pool, corpus: Corpus, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return a mutant of each chosen entry, inside the region, the parameters of its transform, if it has any."""
        images, roots = corpus["inputs"][chosen], corpus["roots"][chosen]
        parameters, transformed = corpus["parameters"][chosen], corpus["transformed"][chosen]
        centre, held = pool.seeds.batch.inputs[roots], pool.seeds.batch.value_range
        draws = pool.streams.uniform(pool.step, 1, (len(chosen), 3))[0]
        space, whole = pool.space, torch.zeros(len(chosen), dtype=torch.bool)
        if images.ndim == 4:
            # Seven operators change an image as a whole and two change values. In a ball three of the seven are left;
            # in a lineage all seven, but only once.
            share = 7 / 9 if isinstance(space, Lineage) else 3 / 5
            whole = (draws[:, 0] < share) & ~(transformed & isinstance(space, Lineage))
        rows, others = whole.nonzero().flatten(), (~whole).nonzero().flatten()
        made = images.clone()
        if len(others):
            made[others] = pixel_mutants(images[others], draws[others, 1:], held, pool.streams, pool.step)
        if not isinstance(space, Lineage):
            if len(rows):
                made[rows] = lit_or_blurred(images[rows], draws[rows, 1:], held)
            return space.project(made, centre), parameters, transformed
        drawn = pool.streams.uniform(pool.step, 4, (len(chosen), parameters.shape[1]))[0]
        parameters, transformed = torch.where(whole.unsqueeze(1), drawn, parameters), transformed | whole
        if len(rows):
            made[rows] = space.origins(images[rows], parameters[rows])
        # Differs: the release adds the values that changed before a transform to those that changed after it; here the
        # rule is about all that differs from the transformed seed, so that a judge can look without knowing the way.
        return self._near(space, made, space.origins(centre, parameters)), parameters, transformed

    def _near(self, space: Lineage, made: Tensor, origin: Tensor) -> Tensor:
        """Bring mutants that changed too many values by too much back to little changes."""
        # Differs: the release draws up to 50 times until a mutant keeps the rule, and gives up on the entry otherwise.
        far = (~space.contains(made, origin)).nonzero().flatten()
        if len(far):
            made[far] = space.project(made[far], origin[far])
        return made

    def _new(self, pool: Pool, state: PoolState, seen: Observation, right: Tensor) -> Tensor:
        """Return which mutants join the queue, of those that are answered correctly, and take in what they cover."""
        if self.keep != "coverage":
            return right if self.keep == "all" else right[:0]
        if len(right) == 0:
            return right
        covered = self._covered(pool, state)
        new = right[covered.news(_rows(seen, right)).nonzero().flatten()]
        if len(new):
            covered.update(_rows(seen, new))  # the others add nothing
        state.tensors |= {f"{_COVERAGE}{name}": one for name, one in covered.tensors().items()}
        return new

    def _covered(self, pool: Pool, state: PoolState | None) -> Covered:
        """Return what is covered so far."""
        model = pool.subject.model.model
        assert isinstance(model, Instrumented)
        covered = self.criterion.begin(model.neuron_map(pool.seeds.batch.inputs[:1]), pool.subject.context.profile)
        if state is not None:
            own = {name: one for name, one in state.tensors.items() if name.startswith(_COVERAGE)}
            covered.load({name.removeprefix(_COVERAGE): one for name, one in own.items()})
        return covered


def _rows(seen: Observation, rows: Tensor) -> Observation:
    """Return what some inputs of a pass showed."""
    return Observation(seen.logits[rows], *(None if one is None else one[rows] for one in (seen.activity, seen.extent)))


@runtime_checkable
class _Neutral(Protocol):
    """A transform that can leave an input as it is."""

    @property
    def identity(self) -> tuple[float, ...]: ...


def _identity(pool: Pool) -> Tensor:
    """Return the parameters of a transform that changes nothing, (K,); none of them where nothing is transformed."""
    if not isinstance(pool.space, Lineage):
        return torch.zeros(0)
    if not isinstance(pool.space.transform, _Neutral):
        raise InvalidSetting("deephunter works in lineage:metamorphic or lineage:affine, got another transform")
    return torch.tensor(pool.space.transform.identity)
