"""A campaign that has begun: what an engine is given, and the engines' common protocol."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome
from unnerve.campaign.plan import HuntPlan, Shard
from unnerve.campaign.run import OnProgress, ShardJob, run
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier, Halving
from unnerve.core.subject import Subject

__all__ = ["CampaignRun", "Engine", "run_and_store", "store_outcome"]


@dataclass(frozen=True, eq=False)
class CampaignRun:
    """A campaign that has begun.

    Parameters
    ----------
    plan : HuntPlan
    subject : Subject
        The model, and what methods compare it with.
    seeds : Examples
        All seeds of the campaign; each shard's are read when its turn comes.
    store : Store
    retried : dict of Shard to rows of seeds
        Of stored shards, the seeds that could not be hunted and are tried again; the others stay as they are.
    wary : bool
        The model is known to be unstable, so that findings must fail every time.
    """

    plan: HuntPlan
    subject: Subject[Classifier]
    seeds: Examples
    store: Store
    retried: Mapping[Shard, Sequence[int]] = field(default_factory=dict)
    wary: bool = False

    def rows(self, shard: Shard) -> Sequence[int]:
        """Return which seeds of a shard are to be hunted."""
        return self.retried.get(shard, range(shard.start, shard.stop))

    def job(self, shard: Shard) -> ShardJob:
        """Return what one shard needs beside the subject."""
        return ShardJob(self.plan, shard, self.seeds.batch(self.rows(shard)), self.wary)


class Engine(Protocol):
    """Runs shards somewhere; each ends as a file in the store, written by whoever ran it."""

    def run(
        self, campaign: CampaignRun, pending: Sequence[Shard], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        """Run these shards in any order and yield what each found as it is stored.

        ``on_progress`` is called now and then with what unfinished shards have found, as far as that is known; it
        raises :class:`~unnerve.campaign.run.Unfinished` to end the run. Closing the generator ends it too; an engine
        then leaves nothing running.
        """
        ...


def run_and_store(
    job: ShardJob, subject: Subject[Classifier], store: Store, on_progress: OnProgress = lambda counts: None
) -> Counts:
    """Run a shard, store what it found, and count it."""
    start = time.perf_counter()
    outcome = run(job, subject, on_progress, store.keeper(job.shard))
    halved = subject.model.halved if isinstance(subject.model, Halving) else None
    store_outcome(job, store, outcome, time.perf_counter() - start, halved)
    return outcome.counts()


def store_outcome(
    job: ShardJob, store: Store, outcome: Outcome, seconds: float = 0.0, halved: int | None = None
) -> None:
    """Store what a shard found; of one that was stored before, what its seeds found that were tried again."""
    shard, whole = job.shard, outcome
    # A job of fewer seeds is a retry of those that failed; the others' records stay.
    if len(job.seeds) < shard.stop - shard.start:
        whole, seconds = store.outcome(shard).replaced(outcome), seconds + store.seconds(shard)
    store.write(shard, job.plan.labels[shard.method], whole, seconds, halved)
