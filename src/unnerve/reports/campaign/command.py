"""The command that repeats a campaign, and others that would fill empty sections of its report."""

from unnerve.reports.parts.commands import repeating_command
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["coverage_command", "wider_command"]


def coverage_command(campaign: Campaign) -> str:
    """Return the command that measures what the findings of a campaign add to the coverage of its seeds."""
    source = campaign.plan.data.opening.source or ""
    return repeating_command(campaign.provenance, coverage="all", profile=source, out=campaign.store.path, resume=True)


def wider_command(campaign: Campaign) -> str:
    """Return the command of a hunt that is likelier to find something: twice the radius, in a folder beside."""
    region = campaign.plan.region.wider or campaign.plan.region.text
    return repeating_command(campaign.provenance, region=region, out=f"{campaign.store.path}-wider")
