"""Running one shard: hunter against model, judged, metered, in chunks that stay in cache."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import Plan, Shard
from unnerve.core.catalogue import build
from unnerve.core.errors import InvalidModel, UserError
from unnerve.core.examples import Batch
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.judge import judge
from unnerve.core.metering import BudgetSpent, Meter, Metered
from unnerve.core.methods import Hunter, Oracle, Space
from unnerve.core.model import Classifier, Observation, require
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.generate.oracles.becomes import Becomes

__all__ = ["Job", "Outcome", "Pulse", "SeedRecord", "Unfinished", "eight_bit", "rehearse", "run"]

_ROWS = 1000
_JUDGED_AT_ONCE = 256

Pulse = Callable[[Counts], None]
"""Called after every step with what the shard has found so far; it may raise :class:`Unfinished`."""


class Unfinished(Exception):
    """A shard is given up before its end, and nothing of it is kept."""


@dataclass(frozen=True, eq=False)
class Job:
    """What one shard needs beside the model, as one value that can be sent to another process.

    Parameters
    ----------
    plan : Plan
    shard : Shard
    seeds : Batch
        The shard's own.
    """

    plan: Plan
    shard: Shard
    seeds: Batch


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

    def counts(self) -> Counts:
        """Count what was found."""
        hunted = [record for record in self.seeds if record.failed is None]
        return Counts(
            inputs=len(hunted),
            errors=len(self.findings),
            error_categories=len({(one.seed_id, one.after) for one, _ in self.findings}),
            seeds_broken=len({one.seed_id for one, _ in self.findings}),
            errors_as_in_paper=sum(record.failing for record in hunted),
            queries=sum(record.queries for record in hunted),
            failed=len(self.seeds) - len(hunted),
        )


def run(job: Job, model: Classifier, pulse: Pulse = lambda counts: None) -> Outcome:
    """Hunt the shard's seeds; the outcome depends on the plan and each seed alone, not on the company."""
    hunt = _hunt(job.plan, job.shard.method, model)
    outcome = Outcome((), ())
    size = max(1, _ROWS // hunt.hunter.width)
    for start in range(0, len(job.seeds), size):
        outcome += _guarded(hunt, job.seeds[start : start + size], _after(outcome, pulse))
    return outcome


def rehearse(plan: Plan, model: Classifier, seed: Batch) -> None:
    """Let every method take one step with one seed: settings that do not fit together show before a campaign begins."""
    for method in range(len(plan.methods)):
        hunt = _hunt(replace(plan, queries=None, again=False), method, model)
        try:
            _Chase(hunt, seed, _stop).outcome()
        except Unfinished:
            continue
        except InvalidModel:
            continue  # one seed that the model does not take is no reason to leave the others alone


def _stop(_: Counts) -> None:
    raise Unfinished


def _hunt(plan: Plan, method: int, model: Classifier) -> "_Hunt":
    hunter = build("hunter", plan.methods[method])
    require(model, hunter.needs, str(plan.methods[method]["name"]))
    return _Hunt(plan, model, hunter, build("region", plan.region), build("oracle", plan.oracle))


@dataclass(frozen=True, eq=False)
class _Hunt:
    plan: Plan
    model: Classifier
    hunter: Hunter
    space: Space
    oracle: Oracle


def _guarded(hunt: _Hunt, batch: Batch, pulse: Pulse) -> Outcome:
    """Hunt together; if something breaks, hunt one by one, so that only the seed that breaks it is lost."""
    try:
        return _Chase(hunt, batch, pulse).outcome()
    except Unfinished:
        raise
    except Exception as problem:
        if isinstance(problem, UserError) and not isinstance(problem, InvalidModel):
            raise
        if len(batch) == 1:
            reason = str(problem) if isinstance(problem, InvalidModel) else f"{type(problem).__name__}: {problem}"
            return Outcome((), (SeedRecord(batch.ids[0], 0, 0, 0, reason),))
    half = len(batch) // 2
    first = _guarded(hunt, batch[:half], pulse)
    return first + _guarded(hunt, batch[half:], _after(first, pulse))


def _after(outcome: Outcome, pulse: Pulse) -> Pulse:
    """Return a pulse for what comes after an outcome."""
    before = outcome.counts()
    return lambda now: pulse(before + now)


@dataclass
class _Chase:
    """One hunt over a few seeds that share their passes."""

    hunt: _Hunt
    batch: Batch
    pulse: Pulse
    pending: list[tuple[Candidates, Tensor, Tensor]] = field(default_factory=list)
    found: dict[str, tuple[Finding, int]] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        """Run the hunter to its end, or again and again to the end of the budget."""
        plan, count = self.hunt.plan, len(self.batch)
        meter = Meter(count, plan.queries)
        model = Metered(self.hunt.model, meter)
        self.picks, self.failing = torch.zeros(count, dtype=torch.int64), torch.zeros(count, dtype=torch.int64)
        self.steps = torch.zeros(count, dtype=torch.int64)
        seeds = Seeds(self.batch, model.of(torch.arange(count)).observe(self.batch.inputs), self._target())
        wanted, turn = torch.ones(count, dtype=torch.bool), 0
        while bool(wanted.any()):
            before = meter.spent.clone()
            self._turn(seeds, model, wanted, turn)
            wanted &= meter.spent > before  # whoever spent nothing has nothing left to try
            turn += 1
            if not plan.again:
                break
        self._judged(seeds)
        return Outcome(self._findings(), self._records(meter))

    def _turn(self, seeds: Seeds, model: Metered, wanted: Tensor, turn: int) -> None:
        """Run the hunter once; ``wanted`` says who takes part, and is told who has had enough."""
        plan, meter = self.hunt.plan, model.meter
        cost = self.hunt.hunter.step_cost(seeds.clean.logits.shape[1])
        self._enough(wanted, meter, cost)
        part = wanted.nonzero().flatten()
        if len(part) == 0:
            return
        streams = Streams(plan.seed, [self.batch.ids[row] for row in part.tolist()], turn)
        chase = self.hunt.hunter.hunt(Subject(model.among(part)), _chosen(seeds, part), self.hunt.space, streams)
        first = self.steps.clone()
        try:
            candidates = next(chase)
            while True:
                self._noted(candidates, part, first, meter)
                if not plan.keep_going or self._waiting() >= _JUDGED_AT_ONCE:
                    self._judged(seeds)
                self._enough(wanted, meter, cost)
                self.pulse(self._counts(meter))
                if not bool(wanted.any()):
                    break
                candidates = chase.send(wanted[part])
        except (StopIteration, BudgetSpent):
            pass
        chase.close()

    def _target(self) -> Tensor | None:
        oracle = self.hunt.oracle
        return torch.full((len(self.batch),), oracle.target) if isinstance(oracle, Becomes) else None

    def _enough(self, wanted: Tensor, meter: Meter, cost: int) -> None:
        """Take from ``wanted`` who is broken already, if that is enough, and who cannot afford another step."""
        plan = self.hunt.plan
        if not plan.keep_going:
            wanted &= self.failing == 0
        if plan.queries is not None:
            wanted &= meter.spent + cost <= plan.queries

    def _noted(self, candidates: Candidates, part: Tensor, first: Tensor, meter: Meter) -> None:
        index = part[candidates.seed_index]
        self.picks += torch.bincount(index, minlength=len(self.batch))
        steps = first[index] + candidates.step
        self.steps[index] = steps + 1
        owned = Candidates(candidates.inputs.clone(), index, 0)
        self.pending.append((owned, steps, meter.spent[index]))

    def _counts(self, meter: Meter) -> Counts:
        findings = [one for one, _ in self.found.values()]
        return Counts(
            errors=len(findings),
            error_categories=len({(one.seed_id, one.after) for one in findings}),
            seeds_broken=int((self.failing > 0).sum()),
            errors_as_in_paper=int(self.failing.sum()),
            queries=int(meter.spent.sum()),
        )

    def _waiting(self) -> int:
        return sum(len(candidates) for candidates, _, _ in self.pending)

    def _judged(self, seeds: Seeds) -> None:
        """Prove what is waiting; a pick that was found before counts as failing, but not as another error."""
        if not self.pending:
            return
        plan = self.hunt.plan
        steps = torch.cat([steps for _, steps, _ in self.pending])
        spent = torch.cat([queries for _, _, queries in self.pending])
        index = torch.cat([one.seed_index for one, _, _ in self.pending])
        inputs = torch.cat([one.inputs for one, _, _ in self.pending])
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


def _chosen(seeds: Seeds, part: Tensor) -> Seeds:
    """Return some of the seeds."""
    if len(part) == len(seeds):
        return seeds
    batch = seeds.batch
    labels = None if batch.labels is None else batch.labels[part]
    chosen = Batch(batch.inputs[part], labels, tuple(batch.ids[row] for row in part.tolist()))
    return Seeds(chosen, Observation(seeds.clean.logits[part]), None if seeds.target is None else seeds.target[part])


def eight_bit(x: Tensor, centre: Tensor) -> Tensor:
    """Round to multiples of 1/255, towards the seed's own 8-bit values, so that no region is left."""
    base = (centre * 255).round()
    steps = x * 255 - base
    # A step of 8 that arrives as 7.99999 is a step of 8; the regions allow for as much rounding.
    return (base + steps.add_(steps.sign(), alpha=1e-4).trunc_()) / 255
