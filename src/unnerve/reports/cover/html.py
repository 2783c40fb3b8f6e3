"""How much of a network inputs exercise, as one HTML file that works without a network connection."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_writable
from unnerve.reports.cover.page import cover_page
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.gate import badge
from unnerve.reports.parts.page import rendered, write_html
from unnerve.studies.cover.result import Cover
from unnerve.studies.gates.gate import Gate

__all__ = ["cover_html", "write_cover_report"]


def write_cover_report(found: Cover, path: str | Path, command: str = "", gate: Gate | None = None) -> None:
    """Write the page: the whole file or none."""
    check_writable(Path(path))
    write_html(path, cover_html(found, command, gate=gate))


def cover_html(found: Cover, command: str = "", *, date: datetime | None = None, gate: Gate | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Cover
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    gate : Gate, optional
        Whether the limits hold that were stated.
    """
    # Bars are plain markup: a page of 30 kB does not have to carry a chart library of megabytes.
    return rendered("cover", cover_page(found, command, report_date(date)), {}, charts=False, badge=badge(gate))
