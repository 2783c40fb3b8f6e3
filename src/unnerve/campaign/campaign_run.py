"""The work of a campaign: what an engine is given, and the engines' common protocol."""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import Plan, Shard
from unnerve.campaign.run import OnProgress, ShardJob, run
from unnerve.campaign.store import Store
from unnerve.core.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.reference import Reference

__all__ = ["CampaignRun", "Engine", "run_and_store"]


@dataclass(frozen=True, eq=False)
class CampaignRun:
    """A campaign that has begun.

    Parameters
    ----------
    plan : Plan
    model : Classifier
    seeds : Examples
        All seeds of the campaign; each shard's are read when its turn comes.
    store : Store
    reference : Reference or None
        What the methods compare with.
    """

    plan: Plan
    model: Classifier
    seeds: Examples
    store: Store
    reference: Reference | None = None

    def job(self, shard: Shard) -> ShardJob:
        """Return what one shard needs beside the model."""
        return ShardJob(self.plan, shard, self.seeds.batch(range(shard.start, shard.stop)), self.reference)


class Engine(Protocol):
    """Runs shards somewhere; each ends as a file in the store, written by whoever ran it."""

    def run(
        self, work: CampaignRun, pending: Sequence[Shard], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        """Run these shards in any order and yield what each found as it is stored.

        ``pulse`` is called now and then with what unfinished shards have found, as far as that is known; it raises
        :class:`~unnerve.campaign.run.Unfinished` to end the run. Closing the generator ends it too; an engine then
        leaves nothing running.
        """
        ...


def run_and_store(
    job: ShardJob, model: Classifier, store: Store, on_progress: OnProgress = lambda counts: None
) -> Counts:
    """Run a shard, store what it found, and count it."""
    start = time.perf_counter()
    outcome = run(job, model, on_progress)
    store.write(job.shard, job.plan.labels[job.shard.method], outcome, time.perf_counter() - start)
    return outcome.counts()
