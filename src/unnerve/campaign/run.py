"""Running one shard: hunter against model, judged, metered, in chunks that stay in cache."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from unnerve.campaign.plan import Plan, Shard
from unnerve.core.catalogue import build
from unnerve.core.errors import InvalidModel
from unnerve.core.examples import Batch, Examples
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.judge import judge
from unnerve.core.metering import BudgetSpent, Meter, Metered
from unnerve.core.methods import Hunter, Oracle, Space
from unnerve.core.model import Classifier, require
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject

__all__ = ["Job", "Outcome", "SeedRecord", "run"]

_ROWS = 1000
_JUDGED_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Job:
    """What one shard needs, as one value that can be sent to another process.

    Parameters
    ----------
    plan : Plan
    shard : Shard
    model : Classifier
    seeds : Examples
        All seeds of the campaign; the shard names its own.
    """

    plan: Plan
    shard: Shard
    model: Classifier
    seeds: Examples


@dataclass(frozen=True)
class SeedRecord:
    """What a hunt did with one seed.

    Parameters
    ----------
    id : str
    queries : int
        Spent on it, the clean pass included.
    picks, failing : int
        Inputs proposed, and those of them that were proven errors, repeated ones included (the papers' count).
    failed : str or None
        Why it could not be hunted.
    """

    id: str
    queries: int
    picks: int
    failing: int
    failed: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What a shard found.

    Parameters
    ----------
    findings : tuple of (Finding, int)
        Distinct ones, each with the queries its seed had spent by then.
    seeds : tuple of SeedRecord
    """

    findings: tuple[tuple[Finding, int], ...]
    seeds: tuple[SeedRecord, ...]

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.findings + other.findings, self.seeds + other.seeds)


def run(job: Job) -> Outcome:
    """Hunt the shard's seeds; the outcome depends on the plan and each seed alone, not on the company."""
    plan = job.plan
    hunt = _Hunt(
        plan,
        job.model,
        build("hunter", plan.methods[job.shard.method]),
        build("region", plan.region),
        build("oracle", plan.oracle),
    )
    require(job.model, hunt.hunter.needs, str(plan.methods[job.shard.method]["name"]))
    outcome = Outcome((), ())
    size = max(1, _ROWS // hunt.hunter.width)
    for start in range(job.shard.start, job.shard.stop, size):
        rows = range(start, min(start + size, job.shard.stop))
        outcome += _guarded(hunt, job.seeds, rows)
    return outcome


@dataclass(frozen=True, eq=False)
class _Hunt:
    plan: Plan
    model: Classifier
    hunter: Hunter
    space: Space
    oracle: Oracle


def _guarded(hunt: _Hunt, data: Examples, rows: Sequence[int]) -> Outcome:
    """Hunt together; if the model fails, hunt one by one, so that only the seed that makes it fail is lost."""
    batch = data.batch(rows)
    try:
        return _Chase(hunt, batch).outcome()
    except (InvalidModel, MemoryError) as problem:
        if len(batch) == 1:
            return Outcome((), (SeedRecord(batch.ids[0], 0, 0, 0, str(problem)),))
    half = len(rows) // 2
    return _guarded(hunt, data, rows[:half]) + _guarded(hunt, data, rows[half:])


@dataclass
class _Chase:
    """One hunt over a few seeds that share their passes."""

    hunt: _Hunt
    batch: Batch
    pending: list[tuple[Candidates, Tensor]] = field(default_factory=list)
    found: dict[str, tuple[Finding, int]] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        """Run the hunter to its end."""
        plan, count = self.hunt.plan, len(self.batch)
        meter = Meter(count, plan.queries)
        model = Metered(self.hunt.model, meter)
        self.picks, self.failing = torch.zeros(count, dtype=torch.int64), torch.zeros(count, dtype=torch.int64)
        seeds = Seeds(self.batch, model.of(torch.arange(count)).observe(self.batch.inputs))
        cost = self.hunt.hunter.step_cost(seeds.clean.logits.shape[1])
        streams = Streams(plan.seed, self.batch.ids)
        chase = self.hunt.hunter.hunt(Subject(model), seeds, self.hunt.space, streams)
        wanted = torch.ones(count, dtype=torch.bool)
        try:
            candidates = next(chase)
            while True:
                self._noted(candidates, meter)
                if not plan.keep_going or self._waiting() >= _JUDGED_AT_ONCE:
                    self._judged(seeds)
                if not plan.keep_going:
                    wanted &= self.failing == 0
                if plan.queries is not None:
                    wanted &= meter.spent + cost <= plan.queries
                if not bool(wanted.any()):
                    break
                candidates = chase.send(wanted)
        except (StopIteration, BudgetSpent):
            pass
        chase.close()
        self._judged(seeds)
        return Outcome(self._findings(), self._records(meter))

    def _noted(self, candidates: Candidates, meter: Meter) -> None:
        self.picks += torch.bincount(candidates.seed_index, minlength=len(self.batch))
        owned = replace(candidates, inputs=candidates.inputs.clone(), seed_index=candidates.seed_index.clone())
        self.pending.append((owned, meter.spent[candidates.seed_index]))

    def _waiting(self) -> int:
        return sum(len(candidates) for candidates, _ in self.pending)

    def _judged(self, seeds: Seeds) -> None:
        """Prove what is waiting; a pick that was found before counts as failing, but not as another error."""
        if not self.pending:
            return
        plan = self.hunt.plan
        steps = torch.cat([torch.full((len(one),), one.step) for one, _ in self.pending])
        spent = torch.cat([queries for _, queries in self.pending])
        index = torch.cat([one.seed_index for one, _ in self.pending])
        inputs = torch.cat([one.inputs for one, _ in self.pending])
        self.pending.clear()
        if plan.quantised:
            inputs = eight_bit(inputs, seeds.batch.inputs[index])
        candidates = Candidates(inputs, index, 0)
        proven = judge(
            Subject(self.hunt.model), seeds, candidates, self.hunt.oracle, self.hunt.space, plan.minimum_margin
        )
        for row, finding in proven:
            self.failing[index[row]] += 1
            self.found.setdefault(finding.id, (finding._replace(step=int(steps[row])), int(spent[row])))

    def _findings(self) -> tuple[tuple[Finding, int], ...]:
        """Return what was found seed by seed: they took turns, and their order must not tell in which company."""
        place = {name: row for row, name in enumerate(self.batch.ids)}
        return tuple(sorted(self.found.values(), key=lambda one: place[one[0].seed_id]))

    def _records(self, meter: Meter) -> tuple[SeedRecord, ...]:
        columns = (self.batch.ids, meter.spent.tolist(), self.picks.tolist(), self.failing.tolist())
        return tuple(SeedRecord(*row) for row in zip(*columns, strict=True))


def eight_bit(x: Tensor, centre: Tensor) -> Tensor:
    """Round to multiples of 1/255, towards the seed's own 8-bit values, so that no region is left."""
    base = (centre * 255).round()
    steps = x * 255 - base
    # A step of 8 that arrives as 7.99999 is a step of 8; the regions allow for as much rounding.
    return (base + steps.add_(steps.sign(), alpha=1e-4).trunc_()) / 255
