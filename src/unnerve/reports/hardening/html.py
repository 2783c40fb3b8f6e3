"""What hardening changed: as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_page
from unnerve.reports.hardening.charts import shares_chart
from unnerve.reports.hardening.page import hardening_page
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html
from unnerve.studies.harden.result import Hardening

__all__ = ["hardening_html", "write_hardening_report"]


def write_hardening_report(found: Hardening, path: str | Path | None = None, command: str = "") -> Path:
    """Write the page, ``report.html`` in the folder by default: the whole file or none."""
    place = Path(path) if path is not None else Path(found.out) / "report.html"
    check_page(place)
    write_html(place, hardening_html(found, command))
    return place


def hardening_html(found: Hardening, command: str = "", *, date: datetime | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Hardening
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    """
    page = hardening_page(found, command, report_date(date))
    return rendered("hardening", page, {"charts": {"shares": shares_chart(found)}})
