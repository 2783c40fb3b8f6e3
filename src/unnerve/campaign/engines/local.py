"""In this process, one shard after the other; torch's own threads keep the processors busy."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import Shard
from unnerve.campaign.run import Pulse
from unnerve.campaign.work import Work, fulfilled

__all__ = ["Local"]


@dataclass(frozen=True)
class Local:
    """The engine that needs nothing."""

    def run(self, work: Work, pending: Sequence[Shard], pulse: Pulse) -> Generator[Counts, None, None]:
        """Run the shards in their order."""
        for shard in pending:
            yield fulfilled(work.job(shard), work.model, work.store, pulse)
