"""The one command worth running after reactions were measured."""

from unnerve.reports.parts.commands import NextStep, following_command
from unnerve.studies.react.result import Reactions

__all__ = ["next_step"]


def next_step(found: Reactions) -> NextStep:
    """Return the command that trains on the errors that were looked at, or the one that keeps some."""
    campaign = found.provenance and found.provenance.call.settings.get("campaign")
    if campaign:
        where = {"from": str(campaign), "out": f"{campaign}-hardened"}
        return NextStep(
            "train on these errors, and measure what that changes:",
            following_command(found.provenance, "harden", **where),
        )
    return NextStep(
        "hunt for errors that make many neurons react, and keep them:",
        following_command(found.provenance, "hunt", method="deepsensor", out="runs/reacting"),
    )
