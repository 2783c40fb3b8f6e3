"""The one command worth running after defences were tested."""

from unnerve.reports.parts.commands import following_command, repeating_command
from unnerve.studies.defend.result import ADAPTIVE, Defended

__all__ = ["next_step"]


def next_step(found: Defended) -> str:
    """Return the command that attacks the defences by what is known of them, or hardens the model; may be empty."""
    if found.provenance is None:
        return ""
    if not any(row.group == ADAPTIVE for row in found.rows):
        return repeating_command(found.provenance, adaptive=True)
    campaign = str(found.provenance.call.settings["against"]).split(",")[0]
    return following_command(found.provenance, "harden", **{"from": campaign, "out": f"{campaign}-hardened"})
