"""What is said of a campaign, whatever the page."""

from collections.abc import Sequence

from unnerve.campaign.plan import shards
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["class_names", "subject", "unfinished"]


def class_names(campaign: Campaign) -> list[str]:
    """Return the names of a campaign's classes by their numbers, as they were given; none if they are unknown."""
    return list(campaign.header["classes"])


def subject(campaign: Campaign) -> str:
    """Return what was tested, on what: ``zoo:lenet5 on mnist5k``."""
    return " on ".join(display_name(one.name, 80) for one in (campaign.plan.model, campaign.plan.data))


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
