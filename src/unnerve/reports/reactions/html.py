"""Which neurons react: as one HTML file that works without a network."""

from datetime import datetime
from pathlib import Path
from typing import Any

from unnerve.core.storage.files import check_writable
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.page import rendered, write_html
from unnerve.reports.parts.plane_chart import plane_chart
from unnerve.reports.reactions.charts import layers_charts, neurons_charts, overlap_chart
from unnerve.reports.reactions.page import reactions_page
from unnerve.studies.react.result import Reactions

__all__ = ["reactions_html", "write_reactions_report"]


def write_reactions_report(found: Reactions, path: str | Path, command: str = "") -> None:
    """Write the page: the whole file or none."""
    check_writable(Path(path))
    write_html(path, reactions_html(found, command))


def reactions_html(found: Reactions, command: str = "", *, date: datetime | None = None) -> str:
    """Return the page, self-contained.

    Parameters
    ----------
    found : Reactions
    command : str
        Another command to show than the one that repeats the run.
    date : datetime, optional
        When the page was made; now by default.
    """
    profiles = layers_charts(found)
    charts: dict[str, Any] = {
        "layers": [chart for _, chart in profiles],
        "neurons": list(neurons_charts(found).values()),
        "overlap": overlap_chart(found),
        "plane": plane_chart(found.plane),
    }
    titles = tuple(title for title, _ in profiles)
    return rendered("reactions", reactions_page(found, titles, command, report_date(date)), {"charts": charts})
