"""Two models compared, as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path

from unnerve.core.storage.files import check_page
from unnerve.reports.campaign.comparison.page import comparison_page
from unnerve.reports.campaign.comparison.seeds import Comparison
from unnerve.reports.campaign.html import report_place
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html

__all__ = ["comparison_html", "write_comparison_report"]


def write_comparison_report(found: Comparison, path: str | Path | None = None) -> Path:
    """Write the page, the whole file or none, and return where it is: beside the new run's report by default."""
    place = report_place(found.new).with_name("comparison.html") if path is None else Path(path)
    check_page(place)
    write_html(place, comparison_html(found))
    return place


def comparison_html(found: Comparison, *, date: datetime | None = None) -> str:
    """Return the page, self-contained; made now unless a date is given."""
    return rendered("comparison", comparison_page(found, report_date(date)), {}, charts=False)
