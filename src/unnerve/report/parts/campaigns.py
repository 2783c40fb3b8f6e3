"""What is said of a campaign, whatever the page."""

from collections.abc import Sequence

from unnerve.campaign.plan import shards
from unnerve.report.parts.names import printable
from unnerve.report.parts.numbers import count
from unnerve.studies.campaign import Campaign

__all__ = ["own_names", "unfinished"]


def own_names(campaign: Campaign) -> list[str]:
    """Return the names of a campaign's classes by their numbers, as they were given; none if they are unknown."""
    return list(campaign.header["classes"])


def unfinished(campaigns: Sequence[Campaign]) -> tuple[str, ...]:
    """Return how far campaigns are that have not ended."""
    said = []
    for one in campaigns:
        planned = shards(one.plan)
        done = len(one.store.finished(planned))
        if done < len(planned):
            which = f"{printable(one.store.path)}: " if len(campaigns) > 1 else ""
            said.append(f"{which}{count(done)} of {count(len(planned), 'shards')} finished; --resume goes on.")
    return tuple(said)
