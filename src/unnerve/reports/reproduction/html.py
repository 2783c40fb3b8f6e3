"""A reproduced paper as one HTML file that works without a network."""

from datetime import datetime
from typing import Any

from unnerve.reports.parts.effs.eff_chart import eff_chart
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered
from unnerve.reports.reproduction.charts import figure_chart, is_wide
from unnerve.reports.reproduction.page import reproduction_page
from unnerve.reports.reproduction.scatter import figures
from unnerve.studies.reproduction import Reproduction

__all__ = ["reproduction_html"]


def reproduction_html(result: Reproduction, command: str, *, date: datetime | None = None) -> str:
    """Return a reproduced paper as one self-contained page: claims, tables and scatter figures.

    Parameters
    ----------
    result : Reproduction
    command : str
        The exact command line, shown with a button to copy it.
    date : datetime, optional
        When the page was made; now by default.
    """
    charts = _figures(result)
    titles = {id_: title for id_, (title, _) in charts.items()}
    wide = {f"figure-{place}" for place, one in enumerate(result.figures) if is_wide(one)}
    page = reproduction_page(result, titles, wide, command, report_date(date))
    return rendered("reproduction", page, {"charts": {id_: chart for id_, (_, chart) in charts.items()}})


def _figures(result: Reproduction) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return title and chart by id: a paper's own figures, or Eff against rank."""
    if result.figures:
        return {f"figure-{place}": (one.title, figure_chart(one)) for place, one in enumerate(result.figures)}
    return {id_: (title, eff_chart(series, tries)) for id_, title, series, tries in figures(result.scatters)}
