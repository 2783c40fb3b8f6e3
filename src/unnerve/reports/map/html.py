"""The report of a map of confidence and uncertainty as one HTML file that works without a network."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from unnerve.core.storage.files import check_page
from unnerve.reports.map.charts import auc_chart, stability_chart
from unnerve.reports.map.page import MapPage, map_page
from unnerve.reports.map.plane_chart import plane_chart
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.gate import badge
from unnerve.reports.parts.page import rendered, write_html
from unnerve.studies.gates.gate import Gate
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["map_html", "write_map_report"]


def write_map_report(
    found: UncertaintyMap, path: str | Path | None = None, command: str | None = None, *, gate: Gate | None = None
) -> Path:
    """Write the report, the whole file or none, and return where it is.

    Parameters
    ----------
    found : UncertaintyMap
    path : path, optional
        ``map.html`` in the campaign's folder by default, or here if that is not on a disk.
    command : str, optional
        Another command to show than the one that repeats the run.
    gate : Gate, optional
        Whether the limits hold that were stated.
    """
    place = Path(path) if path is not None else found.table_path.with_name("map.html")
    check_page(place)
    write_html(place, map_html(found, command, place=place, gate=gate))
    return place


def map_html(
    found: UncertaintyMap,
    command: str | None = None,
    *,
    date: datetime | None = None,
    place: Path | None = None,
    gate: Gate | None = None,
) -> str:
    """Return the report as one self-contained page, below 10 MB.

    Parameters
    ----------
    found : UncertaintyMap
    command : str, optional
    date : datetime, optional
        When the report was made; now by default.
    place : Path, optional
        Where it will be written: then it links to ``map.parquet``, if that is there.
    gate : Gate, optional
        Whether the limits hold that were stated.
    """
    page = map_page(found, command, report_date(date), place)
    return rendered("map", page, _payload(found, page), badge=badge(gate))


def _payload(found: UncertaintyMap, page: MapPage) -> dict[str, Any]:
    """Return what the page's script needs: the rest is in the markup already."""
    return {
        "noun": page.noun,
        "classes": page.shown.classes,
        "groups": [{"name": group.name, "patterns": group.patterns} for group in page.groups],
        "inputs": [asdict(one) for one in page.shown.inputs],
        "charts": {
            "plane": plane_chart(found, page.shown.inputs) if page.shown.inputs else None,
            "auc": auc_chart(found, page.areas) if page.areas else None,
            "stability": stability_chart(found),
        },
    }
