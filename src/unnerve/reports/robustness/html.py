"""How robust a model is, as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_writable
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html
from unnerve.reports.robustness.charts import robustness_chart
from unnerve.reports.robustness.page import robustness_page
from unnerve.studies.score.result import Robustness

__all__ = ["robustness_html", "write_robustness_report"]


def write_robustness_report(found: Robustness, path: str | Path, command: str = "") -> None:
    """Write the page: the whole file or none."""
    check_writable(Path(path))
    write_html(path, robustness_html(found, command))


def robustness_html(found: Robustness, command: str = "", *, date: datetime | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Robustness
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    """
    page = robustness_page(found, command, report_date(date))
    return rendered("robustness", page, {"charts": {"main": robustness_chart(found)}})
