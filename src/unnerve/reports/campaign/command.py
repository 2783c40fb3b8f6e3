"""The command that repeats a campaign, and others that would fill empty sections of its report."""

from unnerve.core.naming.option_text import option_words
from unnerve.reports.parts.commands import command_line, repeating_command
from unnerve.reports.parts.names import printable
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["coverage_command", "plane_command", "python_lines", "verify_command", "wider_command"]


def coverage_command(campaign: Campaign) -> str:
    """Return the command that measures what the findings of a campaign add to the coverage of its seeds."""
    source = campaign.plan.data.opening.source or ""
    # Into the same folder: --resume hunts nothing again that is there, and the new figures stand beside the findings.
    return repeating_command(campaign.provenance, coverage="all", profile=source, out=campaign.store.path, resume=True)


def plane_command(campaign: Campaign) -> str:
    """Return the command that stores where the seeds and findings of a campaign lie in the last hidden layer."""
    return repeating_command(campaign.provenance, embed=True, out=campaign.store.path, resume=True)


def wider_command(campaign: Campaign) -> str:
    """Return the command of a hunt that is likelier to find something: twice the radius, in a folder beside."""
    region = campaign.plan.region.wider or campaign.plan.region.text
    return repeating_command(campaign.provenance, region=region, out=f"{campaign.store.path}-wider")


def verify_command(campaign: Campaign) -> str:
    """Return the command that judges the findings of a campaign again; empty if no command opens its model."""
    opening = campaign.plan.model.opening
    if opening.source is None or opening.only_in_python:
        return ""
    words = ["unnerve", "verify", campaign.store.path, "--model", opening.source, *option_words(dict(opening.options))]
    return command_line(words)


def python_lines(campaign: Campaign) -> tuple[str, ...]:
    """Return lines of Python that show an input ``x`` to the model of a campaign; none if it exists only there."""
    opening = campaign.plan.model.opening
    if opening.source is None or opening.only_in_python:
        return ()
    options = "".join(f", {name}={text!r}" for name, text in opening.options.items())
    return (
        "import torch, unnerve",
        f"model = unnerve.model({printable(opening.source)!r}{printable(options)})",
        "print(model.observe(torch.tensor(x).unsqueeze(0)).probabilities)",
    )
