"""``unnerve report``: what campaigns found, as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli.options import JsonOption

__all__ = ["report"]


def report(
    campaigns: Annotated[list[str], typer.Argument(metavar="CAMPAIGN", help="Folders of campaigns, or addresses.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The HTML file; report.html in the first campaign's folder, or comparison.html in the new one's."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what hunts and arenas found.

    The file works without a network and can be forwarded as it is. Several campaigns are put side by side. Two runs
    of one plan on two models, the old one first, are compared seed by seed: fixed, newly broken, still broken.
    Nothing of a campaign is run, and the model is not needed.

    \b
    unnerve report runs/a
    unnerve report runs/old runs/new
    unnerve report runs/a runs/b --out both.html
    """
    from unnerve.cli._terminal import terminal_width
    from unnerve.cli.show import say, say_json
    from unnerve.reports.campaign.comparison.seeds import comparison
    from unnerve.reports.campaign.comparison.words import comparison_text, tone
    from unnerve.reports.campaign.text import campaigns_text
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.write import report as reported
    from unnerve.studies.campaign.campaign import Campaign

    # Each path once: a campaign beside itself would be compared with itself.
    opened = [Campaign.at(path) for path in dict.fromkeys(campaigns)]
    compared = comparison(*opened) if len(opened) == 2 else None
    place = reported(*opened, out=out)
    if json:
        rows = [row for one in opened for row in one.rows()]
        gains = [one.coverage for one in opened]
        coverage = [None if one is None else one.to_json() for one in gains]
        commands = [command_figure(one.provenance, one.store.path)["command"] for one in opened]
        against = {} if compared is None else {"comparison": compared.to_json()}
        say_json({"rows": rows, "coverage": coverage, "commands": commands, "report": str(place)} | against)
    elif compared is not None:
        say(comparison_text(compared, place), {"better": "green", "worse": "red"}.get(tone(compared), "yellow"))
    else:
        say(campaigns_text(opened, place, width=terminal_width()))
