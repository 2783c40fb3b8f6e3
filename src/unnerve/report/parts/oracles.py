"""Oracles in plain words: what counts as an error, and what the model was made to do."""

from unnerve.report.parts.campaigns import own_names
from unnerve.report.parts.names import class_name, printable, short
from unnerve.studies.campaign import Campaign

__all__ = ["oracle_deed", "oracle_words"]


def oracle_words(campaign: Campaign) -> str:
    """Return what counts as an error."""
    return printable(campaign.plan.oracle.phrase.replace("{target}", _target(campaign)))


def oracle_deed(campaign: Campaign) -> tuple[str, str]:
    """Return what the model was made to do, within a sentence, and the class that it was made to answer, if any."""
    before, _, _ = campaign.plan.oracle.deed.partition("{target}")
    return printable(before.strip()), _target(campaign)


def _target(campaign: Campaign) -> str:
    target = campaign.plan.oracle.target
    return "" if target is None else short(class_name(own_names(campaign), target), 40)
