"""Oracles in plain words, read from their descriptions in a plan."""

from unnerve.report.parts.campaigns import own_names
from unnerve.report.parts.names import class_name, printable, short
from unnerve.studies.campaign import Campaign

__all__ = ["oracle_words"]


def oracle_words(campaign: Campaign) -> str:
    """Return what counts as an error."""
    oracle = campaign.plan.oracle
    name = str(oracle.get("name"))
    if name == "becomes":
        target = short(class_name(own_names(campaign), int(oracle.get("target", -1))), 40)
        return f"the answer becomes {target}"
    known = {"misclassified": "the answer is not the label", "changed": "the answer is not the one to the seed"}
    return known.get(name, f"the oracle {printable(name)}")
