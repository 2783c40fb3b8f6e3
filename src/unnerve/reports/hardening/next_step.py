"""The one command worth running after a network was hardened."""

from dataclasses import replace

from unnerve.reports.parts.commands import NextStep, following_command
from unnerve.studies.harden.result import Hardening

__all__ = ["next_step"]


def next_step(found: Hardening) -> NextStep:
    """Return the command that hunts the hardened network where the campaign looked."""
    made = found.provenance
    if made is None:
        return NextStep("", "")
    hardened = replace(made, model=made.model.but(weights=found.weights))
    command = following_command(hardened, "hunt", region=found.region, out=f"{found.out}-hunt")
    return NextStep("hunt the hardened network in the same region:", command)
