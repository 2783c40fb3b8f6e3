"""One hunt over a pool of seeds that share what is learnt from any of them: stored between steps, never cut."""

import time
from dataclasses import dataclass, field
from typing import Protocol

import torch

from unnerve.campaign._chunk_run import OnProgress, observed_seeds
from unnerve.campaign._ledger import BoundHunt, Ledger
from unnerve.campaign._pool_checkpoint import Standing, standing_from_bytes, standing_to_bytes
from unnerve.campaign._searched import searched_context, searched_model, searched_seeds
from unnerve.campaign.outcome import Outcome
from unnerve.core.data.examples import Batch
from unnerve.core.pools import Pool, PoolHunter
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered

__all__ = ["Keeper", "PoolRun"]

_SECONDS = 20.0
"""Least time between two checkpoints: a pool that is killed loses no more."""
_JUDGED_AT_ONCE = 256


class Keeper(Protocol):
    """Keeps where an unfinished pool stands."""

    def load(self) -> bytes | None:
        """Return what was saved last, if anything was."""
        ...

    def save(self, data: bytes) -> None:
        """Keep this in the place of what was saved before."""
        ...


@dataclass
class PoolRun:
    """A pool on its way through a hunt, from its beginning or from where it was stored.

    Parameters
    ----------
    hunt : BoundHunt
        Of a pool hunter.
    batch : Batch
        All seeds of the pool.
    on_progress : OnProgress
    keeper : Keeper or None
    """

    hunt: BoundHunt
    batch: Batch
    on_progress: OnProgress
    keeper: Keeper | None = None
    least: int | None = field(default=None, init=False)
    """Queries that the first step took for each seed, the clean pass included; known after that step."""

    def outcome(self) -> Outcome:
        """Run the hunter to its end, or again and again to the end of the budget."""
        plan, count, hunter = self.hunt.plan, len(self.batch), self.hunt.hunter
        assert isinstance(hunter, PoolHunter)
        self.hunter, self.meter = hunter, Meter(count, plan.queries, shared=True)
        tested = self.hunt.subject
        seeds = observed_seeds(Metered(tested.model, self.meter), self.batch, plan.oracle.target)
        self.ledger = Ledger(self.hunt, seeds, self.meter)
        self.seeds = searched_seeds(seeds, plan.region)
        context = searched_context(tested.context, self.meter, plan.region)
        self.subject = Subject(searched_model(self.hunt.searched, self.meter, plan.region), context)
        saved = None if self.keeper is None else self.keeper.load()
        standing = Standing() if saved is None else standing_from_bytes(saved, self.ledger)
        self.saved = time.monotonic()
        while self._advance(standing):
            pass
        self.ledger.judge()
        return self.ledger.outcome()

    def _advance(self, standing: Standing) -> bool:
        """Take one step; return whether there is more to do."""
        plan, ledger = self.hunt.plan, self.ledger
        # Made anew for every step from what names the pool: nothing of the generator has to be stored to resume.
        streams = Streams(plan.seed, [f"pool of {len(self.batch)} from {self.batch.ids[0]}"], standing.turn)
        wanted = torch.ones(len(self.batch), dtype=torch.bool) if plan.keep_going else ledger.failing == 0
        if not bool(wanted.any()):
            return False
        pool = Pool(self.subject, self.seeds, plan.region, streams, wanted, standing.step)
        try:
            if standing.state is None:
                standing.state = self.hunter.begin(pool)
            candidates = self.hunter.step(pool, standing.state)
        except BudgetSpent:
            return False
        standing.drew |= streams.drawn[0]
        if self.least is None:
            self.least = -(-int(self.meter.spent.sum()) // len(self.batch))
        if candidates is None:
            return plan.again and standing.restarted(int(self.meter.spent.sum()))
        ledger.note(candidates, torch.full((len(candidates),), standing.step))
        standing.step += 1
        if not plan.keep_going or ledger.waiting >= _JUDGED_AT_ONCE:
            ledger.judge()
        self._tell(standing)
        return True

    def _tell(self, standing: Standing) -> None:
        """Report progress; what stops the run here, or time that has gone by, is a reason to store the pool first."""
        try:
            self.on_progress(self.ledger.counts())
        # Ctrl-C too: an hour of a pool must not be lost to it.
        except BaseException:
            self._save(standing)
            raise
        if time.monotonic() - self.saved >= _SECONDS:
            self._save(standing)

    def _save(self, standing: Standing) -> None:
        if self.keeper is not None:
            # What waits for the judge would have to be stored too; judged now, it is found all the same.
            self.ledger.judge()
            self.keeper.save(standing_to_bytes(standing, self.ledger))
        self.saved = time.monotonic()
