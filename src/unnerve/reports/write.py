"""The HTML report of any result."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.results import Result
from unnerve.core.storage.files import check_page
from unnerve.reports.campaign.comparison.html import write_comparison_report
from unnerve.reports.campaign.comparison.seeds import comparison
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.reports.corruption.html import write_corruption_report
from unnerve.reports.cover.html import write_cover_report
from unnerve.reports.defence.html import write_defence_report
from unnerve.reports.figures.html import figures_html
from unnerve.reports.hardening.html import write_hardening_report
from unnerve.reports.map.html import write_map_report
from unnerve.reports.parts.page import write_html
from unnerve.reports.ranking.html import ranking_html
from unnerve.reports.reactions.html import write_reactions_report
from unnerve.reports.reproduction.html import reproduction_html
from unnerve.reports.robustness.html import write_robustness_report
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.corrupt.result import Corruption
from unnerve.studies.cover.result import Cover
from unnerve.studies.defend.result import Defended
from unnerve.studies.harden.result import Hardening
from unnerve.studies.map.result import UncertaintyMap
from unnerve.studies.rank.ranking_proof import RankingProof
from unnerve.studies.react.result import Reactions
from unnerve.studies.reproduction import Reproduction
from unnerve.studies.score.result import Robustness

__all__ = ["report", "write_report"]


def report(*results: str | Path | Result, out: str | Path | None = None) -> Path:
    """Show results as one HTML file that works without a network.

    Parameters
    ----------
    *results : Result, or path
        Any result, or where a campaign is; several campaigns are put side by side. Two runs of one plan on two models,
        the old one first, are compared seed by seed. Nothing of a campaign is run, and the model is not needed.
    out : path, optional
        The HTML file; ``report.html`` in the first campaign's folder by default, or ``comparison.html`` in the new
        one's.

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
    if len(opened) == 1:
        return write_report(opened[0], out)
    compared = comparison(*campaigns) if len(campaigns) == 2 else None
    return write_campaign_report(campaigns, out) if compared is None else write_comparison_report(compared, out)


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
    check_page(place)
    if isinstance(result, RankingProof):
        write_html(place, ranking_html(result, command))
    elif isinstance(result, Reproduction):
        write_html(place, reproduction_html(result, command))
    else:
        own = next((write for kind, write in _PAGES if isinstance(result, kind)), _write_figures)
        own(result, place, command)
    return place


def _write_figures(result: Result, place: Path, command: str) -> None:
    write_html(place, figures_html(result, command))


_PAGES: tuple[tuple[type, Callable[[Any, Path, str], None]], ...] = (
    (Reactions, write_reactions_report),
    (Corruption, write_corruption_report),
    (Cover, write_cover_report),
    (Defended, write_defence_report),
    (Robustness, write_robustness_report),
)
