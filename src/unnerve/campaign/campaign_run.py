"""A campaign that has begun: what an engine is given, and the engines' common protocol."""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import HuntPlan, Shard
from unnerve.campaign.run import OnProgress, ShardJob, run
from unnerve.campaign.store import Store
from unnerve.core.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["CampaignRun", "Engine", "run_and_store"]


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
    """

    plan: HuntPlan
    subject: Subject[Classifier]
    seeds: Examples
    store: Store

    def job(self, shard: Shard) -> ShardJob:
        """Return what one shard needs beside the subject."""
        return ShardJob(self.plan, shard, self.seeds.batch(range(shard.start, shard.stop)))


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
    store.write(job.shard, job.plan.labels[job.shard.method], outcome, time.perf_counter() - start)
    return outcome.counts()
