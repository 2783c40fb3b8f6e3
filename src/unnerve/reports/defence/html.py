"""How well defences hold, as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_writable
from unnerve.reports.defence.charts import bars_chart, plane_chart
from unnerve.reports.defence.page import defence_page
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html
from unnerve.studies.defend.result import Defended

__all__ = ["defence_html", "write_defence_report"]


def write_defence_report(found: Defended, path: str | Path, command: str = "") -> None:
    """Write the page: the whole file or none."""
    check_writable(Path(path))
    write_html(path, defence_html(found, command))


def defence_html(found: Defended, command: str = "", *, date: datetime | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Defended
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    """
    charts = {"bars": bars_chart(found), "plane": plane_chart(found)}
    return rendered("defence", defence_page(found, command, report_date(date)), {"charts": charts})
