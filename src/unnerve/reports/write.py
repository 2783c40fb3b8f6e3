"""The HTML report of any result."""

from pathlib import Path

from unnerve.core.errors import InvalidSetting
from unnerve.core.results import Result
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.reports.corruption.html import write_corruption_report
from unnerve.reports.defence.html import write_defence_report
from unnerve.reports.figures.html import figures_html
from unnerve.reports.hardening.html import write_hardening_report
from unnerve.reports.map.html import write_map_report
from unnerve.reports.parts.page import write_html
from unnerve.reports.ranking.html import ranking_html
from unnerve.reports.reactions.html import write_reactions_report
from unnerve.reports.reproduction.html import reproduction_html
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.corrupt.result import Corruption
from unnerve.studies.defend.result import Defended
from unnerve.studies.harden.result import Hardening
from unnerve.studies.map.result import UncertaintyMap
from unnerve.studies.rank.ranking_proof import RankingProof
from unnerve.studies.react.result import Reactions
from unnerve.studies.reproduction import Reproduction

__all__ = ["report", "write_report"]


def report(*results: str | Path | Result, out: str | Path | None = None) -> Path:
    """Show results as one HTML file that works without a network.

    Parameters
    ----------
    *results : Result, or path
        Any result, or where a campaign is; several campaigns are put side by side. Nothing of a campaign is run, and
        the model is not needed.
    out : path, optional
        The HTML file; ``report.html`` in the first campaign's folder by default.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> import unnerve
    >>> unnerve.report("runs/a", "runs/b", out="both.html")
    """
    opened = [one if isinstance(one, Result) else Campaign.at(one) for one in results]
    campaigns = [one for one in opened if isinstance(one, Campaign)]
    if not opened or (len(opened) > 1 and len(campaigns) < len(opened)):
        raise InvalidSetting("a report is of one result, or of several campaigns")
    return write_report(opened[0], out) if len(opened) == 1 else write_campaign_report(campaigns, out)


def write_report(result: Result, path: str | Path | None = None, command: str = "") -> Path:
    """Write a result as one HTML file, and return where it is.

    Parameters
    ----------
    result : Result
    path : path, optional
        By default beside the result, where it lies in a folder, else ``report.html``.
    command : str
        Another command to show than the one that repeats the run.
    """
    if isinstance(result, Campaign):
        return write_campaign_report(result, path)
    if isinstance(result, UncertaintyMap):
        return write_map_report(result, path, command=command)
    if isinstance(result, Hardening):
        return write_hardening_report(result, path, command)
    place = Path("report.html" if path is None else path)
    if place.suffix != ".html":
        raise InvalidSetting(f"a report is written as .html, got '{place}'")
    if isinstance(result, RankingProof):
        write_html(place, ranking_html(result, command))
    elif isinstance(result, Reactions):
        write_reactions_report(result, place, command)
    elif isinstance(result, Corruption):
        write_corruption_report(result, place, command)
    elif isinstance(result, Defended):
        write_defence_report(result, place, command)
    elif isinstance(result, Reproduction):
        write_html(place, reproduction_html(result, command))
    else:
        write_html(place, figures_html(result, command))
    return place
