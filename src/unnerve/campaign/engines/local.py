"""In this process, one shard after the other; torch's own threads keep the processors busy."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from unnerve.campaign.campaign_run import CampaignRun, run_and_store
from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import Shard
from unnerve.campaign.run import OnProgress

__all__ = ["Local"]


@dataclass(frozen=True)
class Local:
    """The engine that needs nothing."""

    def run(
        self, campaign: CampaignRun, pending: Sequence[Shard], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        """Run the shards in their order."""
        for shard in pending:
            yield run_and_store(campaign.job(shard), campaign.subject, campaign.store, on_progress)
