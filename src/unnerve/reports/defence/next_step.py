"""The one command worth running after defences were tested."""

from unnerve.reports.parts.commands import NextStep, following_command, repeating_command
from unnerve.studies.defend.result import ADAPTIVE, Defended

__all__ = ["next_step"]


def next_step(found: Defended) -> NextStep:
    """Return the command that attacks the defences by what is known of them, or hardens the model."""
    if found.provenance is None:
        return NextStep("", "")
    if not any(row.group == ADAPTIVE for row in found.rows):
        reason = "attack each defence with an attack that knows it:"
        return NextStep(reason, repeating_command(found.provenance, adaptive=True))
    campaign = str(found.provenance.call.settings.get("against", "")).split(",")[0]
    # Attacks that know a defence need no campaign, and without one there is nothing to train on.
    if not campaign:
        return NextStep("", "")
    where = {"from": campaign, "out": f"{campaign}-hardened"}
    reason = "train the network itself on what was found, and measure what that changes:"
    return NextStep(reason, following_command(found.provenance, "harden", **where))
