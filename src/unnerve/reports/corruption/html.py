"""What natural changes do, as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_writable
from unnerve.reports.corruption.charts import lines_chart, table_chart
from unnerve.reports.corruption.page import corruption_page
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html
from unnerve.studies.corrupt.result import Corruption

__all__ = ["corruption_html", "write_corruption_report"]


def write_corruption_report(found: Corruption, path: str | Path, command: str = "") -> None:
    """Write the page: the whole file or none."""
    check_writable(Path(path))
    write_html(path, corruption_html(found, command))


def corruption_html(found: Corruption, command: str = "", *, date: datetime | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Corruption
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    """
    charts = {"lines": lines_chart(found), "table": table_chart(found)}
    return rendered("corruption", corruption_page(found, command, report_date(date)), {"charts": charts})
