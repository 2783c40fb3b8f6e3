"""One hunt over a few seeds that share their passes: turns under one budget, every pick judged."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Plan
from unnerve.core.errors import InvalidSetting
from unnerve.core.examples import Batch
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.judge import judge
from unnerve.core.metering import BudgetSpent, Meter, Metered
from unnerve.core.methods import Hunter, Oracle, Space
from unnerve.core.model import Classifier, Observation
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.generate.oracles.becomes import Becomes

__all__ = ["BoundHunt", "ChunkRun", "OnProgress", "eight_bit"]

_JUDGED_AT_ONCE = 256

OnProgress = Callable[[Counts], None]
"""Called after every step with what the shard has found so far; it may raise :class:`Unfinished`."""


@dataclass(frozen=True, eq=False)
class BoundHunt:
    """A plan's method, ready to be used on a model."""

    plan: Plan
    model: Classifier
    hunter: Hunter
    space: Space
    oracle: Oracle
    reference: Reference | None = None


@dataclass
class ChunkRun:
    """Seeds on their way through a hunt; what happens to one does not depend on the others.

    Parameters
    ----------
    hunt : Hunt
    batch : Batch
    pulse : Pulse
    """

    hunt: BoundHunt
    batch: Batch
    on_progress: OnProgress
    pending: list[tuple[Candidates, Tensor, Tensor]] = field(default_factory=list)
    found: dict[str, tuple[Finding, int]] = field(default_factory=dict)
    kinds: set[tuple[str, int]] = field(default_factory=set)

    def outcome(self) -> Outcome:
        """Run the hunter to its end, or again and again to the end of the budget."""
        plan, count = self.hunt.plan, len(self.batch)
        self.picks, self.failing, self.steps = (torch.zeros(count, dtype=torch.int64) for _ in range(3))
        self.meter = Meter(count, plan.queries)
        model = Metered(self.hunt.model, self.meter)
        clean = model.of(torch.arange(count)).observe(self.batch.inputs)
        classes = clean.logits.shape[1]
        seeds = Seeds(self.batch, clean, self._target(classes))
        self.cost = self.hunt.hunter.step_cost(classes)
        wanted, turn = torch.ones(count, dtype=torch.bool), 0
        self._enough(wanted)
        while bool(wanted.any()):
            self._turn(seeds, model, wanted, turn)
            turn += 1
            if not plan.again:
                break
        self._judged(seeds)
        return Outcome(self._findings(), self._records())

    def _turn(self, seeds: Seeds, model: Metered, wanted: Tensor, turn: int) -> None:
        """Run the hunter once with all who are wanted; ``wanted`` is told who has had enough."""
        before, part = self.meter.spent.clone(), wanted.nonzero().flatten()
        fresh = self._ran(seeds, model, wanted, part, turn)
        if fresh is None and len(levels := before[part].unique()) > 1:
            # What a hunter spends before its first step is the same for all seeds, what they have left is not: who
            # can afford it must not lose their turn because of who cannot.
            self.meter.spent.copy_(before)
            for level in levels:
                some = part[before[part] == level]
                self._repeatable(wanted, some, self._ran(seeds, model, wanted, some, turn))
        else:
            self._repeatable(wanted, part, fresh)
        wanted &= self.meter.spent > before  # whoever spent nothing has nothing left to try

    def _repeatable(self, wanted: Tensor, part: Tensor, fresh: Tensor | None) -> None:
        """Take from ``wanted`` who had no random numbers to be tried anew, or not the means for a first step."""
        wanted[part] &= torch.zeros(len(part), dtype=torch.bool) if fresh is None else fresh

    def _ran(self, seeds: Seeds, model: Metered, wanted: Tensor, part: Tensor, turn: int) -> Tensor | None:
        """Run the hunter over some seeds; return who drew random numbers, or None if it had no means to begin."""
        plan, hunt = self.hunt.plan, self.hunt
        streams = Streams(plan.seed, [self.batch.ids[row] for row in part.tolist()], turn)
        subject = Subject(model.among(part), reference=hunt.reference)
        chase = hunt.hunter.hunt(subject, _chosen(seeds, part), hunt.space, streams)
        first = self.steps.clone()
        try:
            candidates = next(chase, None)
        except BudgetSpent:
            return None
        while candidates is not None:
            self._noted(candidates, part, first)
            if not plan.keep_going or self._waiting() >= _JUDGED_AT_ONCE:
                self._judged(seeds)
            self._enough(wanted)
            self.on_progress(self._counts())
            if not bool(wanted[part].any()):
                break
            try:
                candidates = chase.send(wanted[part])
            except (StopIteration, BudgetSpent):
                break
        chase.close()
        return torch.tensor(streams.drawn)

    def _target(self, classes: int) -> Tensor | None:
        oracle = self.hunt.oracle
        if not isinstance(oracle, Becomes):
            return None
        if oracle.target >= classes:
            raise InvalidSetting(f"target must be in [0, {classes - 1}], got {oracle.target}")
        return torch.full((len(self.batch),), oracle.target)

    def _enough(self, wanted: Tensor) -> None:
        """Take from ``wanted`` who is broken already, if that is enough, and who cannot afford another step."""
        plan = self.hunt.plan
        if not plan.keep_going:
            wanted &= self.failing == 0
        if plan.queries is not None:
            wanted &= self.meter.spent + self.cost <= plan.queries

    def _noted(self, candidates: Candidates, part: Tensor, first: Tensor) -> None:
        index = part[candidates.seed_index]
        self.picks += torch.bincount(index, minlength=len(self.batch))
        steps = first[index] + candidates.step
        self.steps[index] = steps + 1
        owned = Candidates(candidates.inputs.clone(), index, 0)
        self.pending.append((owned, steps, self.meter.spent[index]))

    def _counts(self) -> Counts:
        return Counts(
            errors=len(self.found),
            error_categories=len(self.kinds),
            seeds_broken=int((self.failing > 0).sum()),
            errors_as_in_paper=int(self.failing.sum()),
            queries=int(self.meter.spent.sum()),
        )

    def _waiting(self) -> int:
        return sum(len(candidates) for candidates, _, _ in self.pending)

    def _judged(self, seeds: Seeds) -> None:
        """Prove what is waiting; a pick that was found before counts as failing, but not as another error."""
        if not self.pending:
            return
        hunt, plan = self.hunt, self.hunt.plan
        steps = torch.cat([steps for _, steps, _ in self.pending])
        spent = torch.cat([queries for _, _, queries in self.pending])
        index = torch.cat([one.seed_index for one, _, _ in self.pending])
        inputs = torch.cat([one.inputs for one, _, _ in self.pending])
        self.pending.clear()
        if plan.quantised:
            inputs = eight_bit(inputs, seeds.batch.inputs[index])
        candidates = Candidates(inputs, index, 0)
        proven = judge(Subject(hunt.model), seeds, candidates, hunt.oracle, hunt.space, plan.minimum_margin)
        for row, finding in proven:
            self.failing[index[row]] += 1
            self.found.setdefault(finding.id, (finding._replace(step=int(steps[row])), int(spent[row])))
            self.kinds.add((finding.seed_id, finding.after))

    def _findings(self) -> tuple[tuple[Finding, int], ...]:
        """Return what was found seed by seed: they took turns, and their order must not tell in which company."""
        place = {name: row for row, name in enumerate(self.batch.ids)}
        return tuple(sorted(self.found.values(), key=lambda one: place[one[0].seed_id]))

    def _records(self) -> tuple[SeedRecord, ...]:
        columns = (self.batch.ids, self.meter.spent.tolist(), self.picks.tolist(), self.failing.tolist())
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
