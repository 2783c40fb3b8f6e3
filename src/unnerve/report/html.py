"""Reports as one HTML file each, that works without a network."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from unnerve.core.errors import OutputRefused
from unnerve.core.files import whole_file
from unnerve.report._page import rendered, versions
from unnerve.report._scatter import figures
from unnerve.report.charts import eff_chart, figure_chart, found_chart, tries_chart
from unnerve.report.data import Making, RankingPage, ranking_page
from unnerve.studies.ranking_proof import RankingProof
from unnerve.studies.reproduction import Reproduction

__all__ = ["ranking_html", "reproduction_html", "write_html"]


def ranking_html(proof: RankingProof, command: str, *, date: datetime | None = None) -> str:
    """Return the report of a ranking proof as one self-contained page.

    Parameters
    ----------
    proof : RankingProof
    command : str
        The exact command line, shown with a button to copy it.
    date : datetime, optional
        When the proof was made; now by default.

    Returns
    -------
    str
        HTML with its styles, scripts, charts and pictures inside, below 10 MB; nothing is loaded from elsewhere.
    """
    when = (date or datetime.now().astimezone()).strftime("%Y-%m-%d %H:%M %Z").strip()
    page = ranking_page(proof, Making(command, when, versions()))
    return rendered("ranking", page, _payload(page, proof.trial.tries))


def reproduction_html(result: Reproduction, command: str) -> str:
    """Return a reproduced paper as one self-contained page: claims, tables and scatter figures.

    Parameters
    ----------
    result : Reproduction
    command : str
        The exact command line, shown with a button to copy it.
    """
    charts = _figures(result)
    page = {
        **vars(result),
        "held": sum(claim.held for claim in result.claims),
        "ranking": not result.figures,
        "figures": {id_: title for id_, (title, _) in charts.items()},
        "command": command,
    }
    return rendered("reproduction", page, {"charts": {id_: chart for id_, (_, chart) in charts.items()}})


def _figures(result: Reproduction) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return title and chart by id: a paper's own figures, or Eff against rank."""
    if result.figures:
        return {f"figure-{place}": (one.title, figure_chart(one)) for place, one in enumerate(result.figures)}
    return {id_: (title, eff_chart(series, tries)) for id_, title, series, tries in figures(result.scatters)}


def write_html(path: str | Path, text: str) -> None:
    """Write a page: the whole file or none."""
    try:
        with whole_file(Path(path)) as part:
            part.write_bytes(text.encode("utf-8", "replace"))
    except ValueError as problem:
        raise OutputRefused(f"cannot write {str(path)!r}: {problem}") from problem


def _payload(page: RankingPage, tries: int) -> dict[str, Any]:
    """Return what the page's script needs: the rest is in the markup already."""
    return {
        "lead": page.lead,
        "total": page.total,
        "orders": {name: _ordered(page, name) for name in page.strips},
        "inputs": {row: asdict(one) for row, one in page.inputs.items()},
        "charts": {
            "effs": {name: eff_chart(series, tries) for name, series in page.effs.items()},
            "tries": tries_chart(page.bars) if page.bars else None,
            "found": found_chart(page.found, page.noun) if page.found else None,
        },
    }


def _ordered(page: RankingPage, score: str) -> dict[str, list[int]]:
    """Return the rows of a score's strip."""
    strip = page.strips[score]
    rows = {one.ranks[score] - 1: row for row, one in page.inputs.items()}
    return {"first": [rows[rank] for rank in strip.first], "spread": [rows[rank] for rank in strip.spread]}
