"""Commands that would fill empty sections of a map's report."""

from unnerve.reports.parts.commands import following_command, repeating_command
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["defend_command", "more_draws_command", "resume_command", "wider_command"]

# Sets of clips are small: of 500 that are tested, too few are left for detectors to learn from.
_FOR_CLIPS = {"defences": "activation_classifier,bit_depth:8", "inputs": "100"}
"""Those that need no images, and no data to train on."""


def wider_command(found: UncertaintyMap) -> str:
    """Return the command of a map whose attacks find more: twice the radius, in a folder beside."""
    region = found.campaign.plan.region.wider or found.campaign.plan.region.text
    return repeating_command(found.provenance, region=region, out=f"{found.campaign.store.path}-wider")


def more_draws_command(found: UncertaintyMap) -> str:
    """Return the command of the same map with as many draws as can be compared."""
    return repeating_command(found.provenance, draws="50", resume=True)


def resume_command(found: UncertaintyMap) -> str:
    """Return the command that goes on with the attacks of a map."""
    return repeating_command(found.provenance, resume=True)


def defend_command(found: UncertaintyMap) -> str:
    """Return the command that tests defences against the attacks of a map."""
    path = found.campaign.store.path
    clips = {} if found.campaign.clips is None else _FOR_CLIPS
    settings = {"defences": "all", **clips, "against": path, "report": f"{path}-defences.html"}
    return following_command(found.provenance, "defend", **settings)
