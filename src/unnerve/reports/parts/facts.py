"""When a report was made, by which command and with which versions."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

import unnerve
from unnerve.reports.parts.names import printable

__all__ = ["ReportFacts", "report_date", "versions", "versions_text"]


@dataclass(frozen=True)
class ReportFacts:
    """How a report came about.

    Parameters
    ----------
    command : str
        The exact command line, or the Python call.
    date : str
    versions : dict of str to str
        By name of the software.
    """

    command: str
    date: str
    versions: dict[str, str]


def report_date(date: datetime | None = None) -> str:
    """Write when a report was made: now by default."""
    # A date without a time zone leaves a space where its name would be.
    return (date or datetime.now().astimezone()).strftime("%Y-%m-%d %H:%M %Z").strip()


def versions() -> dict[str, str]:
    """Return the versions of what makes a report, by name."""
    installed = {name: version(name) for name in ("torch", "numpy", "plotly")}
    return {"unnerve": unnerve.__version__, "Python": platform.python_version(), **installed}


def versions_text(known: Mapping[str, object]) -> str:
    """Write versions by their names; ``-`` if none is known."""
    return ", ".join(f"{printable(str(name))} {printable(str(one))}" for name, one in known.items()) or "-"
