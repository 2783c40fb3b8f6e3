"""Reports as one HTML file each, that works without a network."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from unnerve.reports.parts.effs.eff_chart import eff_chart
from unnerve.reports.parts.facts import ReportFacts, report_date, versions
from unnerve.reports.parts.gate import badge
from unnerve.reports.parts.page import rendered
from unnerve.reports.ranking.charts import found_chart, tries_chart
from unnerve.reports.ranking.page import RankingPage, ranking_page
from unnerve.studies.gates.gate import Gate
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["ranking_html"]


def ranking_html(
    proof: RankingProof, command: str = "", *, date: datetime | None = None, gate: Gate | None = None
) -> str:
    """Return the report of a ranking proof as one self-contained page.

    Parameters
    ----------
    proof : RankingProof
    command : str
        Another command to show than the one that repeats the proof.
    date : datetime, optional
        When the proof was made; now by default.
    gate : Gate, optional
        Whether the limits hold that were stated.

    Returns
    -------
    str
        HTML with its styles, scripts, charts and pictures inside, below 10 MB; nothing is loaded from elsewhere.
    """
    page = ranking_page(proof, ReportFacts(command, report_date(date), versions()))
    return rendered("ranking", page, _payload(page, proof.trial.tries), badge=badge(gate))


def _payload(page: RankingPage, tries: int) -> dict[str, Any]:
    """Return what the page's script needs: the rest is in the markup already."""
    return {
        "lead": page.lead,
        "total": page.total,
        "orders": {name: _ordered(page, name) for name in page.strips},
        "inputs": {row: asdict(one) for row, one in page.inputs.items()},
        "charts": {
            "effs": {name: eff_chart(series, tries, cropped=True) for name, series in page.effs.items()},
            "tries": tries_chart(page.bars) if page.bars else None,
            "found": found_chart(page.found, page.noun) if page.found else None,
        },
    }


def _ordered(page: RankingPage, score: str) -> dict[str, list[int]]:
    """Return the rows of a score's strip."""
    strip = page.strips[score]
    # Ranks are told to people, from 1; strips count from 0.
    rows = {one.ranks[score] - 1: row for row, one in page.inputs.items()}
    return {"first": [rows[rank] for rank in strip.first], "spread": [rows[rank] for rank in strip.spread]}
