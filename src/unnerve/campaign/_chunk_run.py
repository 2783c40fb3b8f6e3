"""One hunt over a few seeds that share their passes: turns under one budget, every pick judged."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from unnerve.campaign._ledger import BoundHunt, Ledger
from unnerve.campaign._searched import searched_context, searched_model, searched_seeds
from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome
from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Observation
from unnerve.core.pools import PoolHunter
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered

__all__ = ["ChunkRun", "OnProgress", "observed_seeds"]

# Picks share the passes of their proof; the limits keep the copies that wait for it from filling memory.
_JUDGED_AT_ONCE = 256
_JUDGED_BYTES = 2**25

OnProgress = Callable[[Counts], None]
"""Called after every step with what the shard has found so far; it may raise :class:`Unfinished`."""


@dataclass
class ChunkRun:
    """Seeds on their way through a hunt; what happens to one does not depend on the others.

    Parameters
    ----------
    hunt : BoundHunt
        Of a method whose seeds do not share a pool.
    batch : Batch
    on_progress : OnProgress
    """

    hunt: BoundHunt
    batch: Batch
    on_progress: OnProgress
    least: int | None = field(default=None, init=False)
    """Queries that a seed needs for one step, the clean pass included; known after that pass."""

    def outcome(self) -> Outcome:
        """Run the hunter to its end, or again and again to the end of the budget."""
        plan, count, hunter = self.hunt.plan, len(self.batch), self.hunt.hunter
        assert not isinstance(hunter, PoolHunter), "a pool is run as a whole"
        self.hunter = hunter
        self.meter = Meter(count, plan.queries)
        seeds = observed_seeds(Metered(self.hunt.subject.model, self.meter), self.batch, plan.oracle.target)
        self.ledger = Ledger(self.hunt, seeds, self.meter)
        self.seeds = searched_seeds(seeds, plan.region)
        self.cost = hunter.step_cost(seeds.clean.logits.shape[1])
        # The clean pass, what comes before the first step, and the step.
        self.least = 1 + hunter.start_cost + self.cost
        wanted, turn = torch.ones(count, dtype=torch.bool), 0
        self._drop_finished(wanted)
        while bool(wanted.any()):
            self._take_turn(wanted, turn)
            turn += 1
            if not plan.again:
                break
        self.ledger.judge()
        return self.ledger.outcome()

    def _take_turn(self, wanted: Tensor, turn: int) -> None:
        """Run the hunter once with all wanted seeds; those that have had enough are taken from ``wanted``."""
        before, part = self.meter.spent.clone(), wanted.nonzero().flatten()
        drew = self._run(wanted, part, turn)
        if drew is None and len(levels := before[part].unique()) > 1:
            # What a hunter spends before its first step is the same for all seeds, what they have left is not: a seed
            # with enough budget must not lose its turn because of one without.
            self.meter.spent.copy_(before)
            for level in levels:
                some = part[before[part] == level]
                self._keep_repeatable(wanted, some, self._run(wanted, some, turn))
        else:
            self._keep_repeatable(wanted, part, drew)
        wanted &= self.meter.spent > before  # a turn that cost nothing would cost nothing again, without end

    def _keep_repeatable(self, wanted: Tensor, part: Tensor, drew: Tensor | None) -> None:
        """Take from ``wanted`` the seeds that drew no random numbers to be tried anew, or have no budget for a step."""
        wanted[part] &= torch.zeros(len(part), dtype=torch.bool) if drew is None else drew

    def _run(self, wanted: Tensor, part: Tensor, turn: int) -> Tensor | None:
        """Run the hunter over some seeds; return which drew random numbers, or None if the budget ended before."""
        plan, ledger = self.hunt.plan, self.ledger
        streams = Streams(plan.seed, [self.batch.ids[row] for row in part.tolist()], turn)
        tested = self.hunt.subject
        context = searched_context(tested.context, self.meter, plan.region, part)
        subject = Subject(searched_model(self.hunt.searched, self.meter, plan.region, part), context)
        steps = self.hunter.hunt(subject, _chosen(self.seeds, part), plan.region, streams)
        # A hunter that starts again counts its steps from zero; the record goes on counting.
        first = ledger.steps.clone()
        try:
            candidates = next(steps, None)
        except BudgetSpent:
            return None
        while candidates is not None:
            index = part[candidates.seed_index]
            numbers = first[index] + candidates.step
            ledger.steps[index] = numbers + 1
            ledger.note(replace(candidates, seed_index=index), numbers)
            if not plan.keep_going or ledger.waiting >= self._judged_at_once:
                ledger.judge()
            self._drop_finished(wanted)
            self.on_progress(ledger.counts())
            if not bool(wanted[part].any()):
                break
            try:
                candidates = steps.send(wanted[part])
            except (StopIteration, BudgetSpent):
                break
        # A hunter may hold hooks on the model: they are given back now, not when memory is collected.
        steps.close()
        return torch.tensor(streams.drawn)

    @property
    def _judged_at_once(self) -> int:
        return max(1, min(_JUDGED_AT_ONCE, _JUDGED_BYTES // max(1, self.batch.inputs[0].nbytes)))

    def _drop_finished(self, wanted: Tensor) -> None:
        """Take from ``wanted`` the broken seeds, if one finding is enough, and those that have no budget for a step."""
        if not self.hunt.plan.keep_going:
            wanted &= self.ledger.failing == 0
        wanted &= self.meter.affords(self.cost)


def observed_seeds(model: Metered, batch: Batch, target: int | None) -> Seeds:
    """Ask the model once about every seed, at the seeds' cost, and check that the target is one of its classes."""
    clean = model.of(torch.arange(len(batch))).observe(batch.inputs)
    classes = clean.logits.shape[1]
    if target is not None and target >= classes:
        raise InvalidSetting(f"target must be in [0, {classes - 1}], got {target}")
    return Seeds(batch, clean, None if target is None else torch.full((len(batch),), target))


def _chosen(seeds: Seeds, part: Tensor) -> Seeds:
    """Return some of the seeds."""
    if len(part) == len(seeds):
        return seeds
    batch = seeds.batch
    labels = None if batch.labels is None else batch.labels[part]
    names = tuple(batch.ids[row] for row in part.tolist())
    chosen = Batch(batch.inputs[part], labels, names, batch.value_range)
    return Seeds(chosen, Observation(seeds.clean.logits[part]), None if seeds.target is None else seeds.target[part])
