"""The report of campaigns (hunts, arenas) as one HTML file that works without a network."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from unnerve.core.storage.files import check_page
from unnerve.reports.campaign.coverage_chart import coverage_chart
from unnerve.reports.campaign.curves import FIGURES
from unnerve.reports.campaign.curves_chart import query_curves_chart
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.page import CampaignPage, campaign_page
from unnerve.reports.parts.facts import report_date
from unnerve.reports.parts.gate import badge
from unnerve.reports.parts.page import rendered, write_html
from unnerve.reports.parts.plane_chart import plane_chart
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["campaign_html", "report_place", "write_campaign_report"]


def write_campaign_report(
    campaign: Campaign | Sequence[Campaign], path: str | Path | None = None, command: str | None = None
) -> Path:
    """Write the report, the whole file or none, and return where it is.

    Parameters
    ----------
    campaign : Campaign or sequence of Campaign
        Several are shown side by side.
    path : path, optional
        ``report.html`` in the first campaign's folder by default, or here if that is not on a disk.
    command : str, optional
        Another command to show than the one that repeats the run.
    """
    campaigns = _several(campaign)
    place = report_place(campaigns[0]) if path is None else Path(path)
    check_page(place)
    write_html(place, campaign_html(campaigns, command, place=place))
    return place


def report_place(campaign: Campaign) -> Path:
    """Return where a campaign's report is written if no place is named."""
    store = campaign.store
    if not store.is_local:
        return Path("report.html")
    # As the user wrote it, since it is printed; but an address such as file:///runs/one is no path.
    return Path(store.address if "://" in store.path else store.path) / "report.html"


def campaign_html(
    campaign: Campaign | Sequence[Campaign],
    command: str | None = None,
    *,
    date: datetime | None = None,
    place: Path | None = None,
) -> str:
    """Return the report as one self-contained page, below 6 MB.

    Parameters
    ----------
    campaign : Campaign or sequence of Campaign
    command : str, optional
    date : datetime, optional
        When the report was made; now by default.
    place : Path, optional
        Where it will be written: then it links to the parquet files.
    """
    opened = _several(campaign)
    page = campaign_page(evidence(opened), command, report_date(date), place)
    charts = bool(page.curves) or any(part.bars for part in page.coverages)
    return rendered(
        "campaign",
        page,
        _payload(page),
        charts=charts,
        badge=badge(opened[0].gate) if len(opened) == 1 else None,
        scripts=("plane.js", "zip.js"),
    )


def _several(campaign: Campaign | Sequence[Campaign]) -> list[Campaign]:
    """Return campaigns as a list; one that is named twice is there once."""
    given = [campaign] if isinstance(campaign, Campaign) else list(campaign)
    return list({one.store.address: one for one in given}.values())


def _payload(page: CampaignPage) -> dict[str, Any]:
    """Return what the page's script needs: the rest is in the markup already."""
    rows = {one.id: row for row, one in enumerate(page.gallery.findings)}
    groups = () if page.plane is None else tuple(page.plane.methods.values())
    return {
        "plane": plane_chart(page.plane),
        # Of every group behind that of the seeds, which finding each point is.
        "plane_rows": [[rows[name] for name in group.ids] for group in groups],
        "classes": page.classes,
        "short_classes": page.short_classes,
        "methods": page.methods,
        "shape": page.gallery.shape,
        "norm": page.gallery.norm,
        "folder": page.folders[0].path,
        "verify": page.verify,
        "python": page.python,
        # Campaigns that are unlike may share inputs, which would count twice: the page begins with one of them.
        "method": min(filter(None, page.matrix.cells), key=int) if page.matrix and page.rows else "",
        "matrix": asdict(page.matrix) if page.matrix else None,
        "findings": [asdict(one) for one in page.gallery.findings],
        "originals": [asdict(one) if one else None for one in page.gallery.originals],
        "charts": {
            figure: {over: query_curves_chart(page.curves, figure, over) for over in ("queries", "seconds")}
            for figure in (FIGURES if page.curves else ())
        },
        "coverage": {
            f"coverage-{place}": coverage_chart(part.bars) for place, part in enumerate(page.coverages, 1) if part.bars
        },
    }
