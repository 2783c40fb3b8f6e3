"""How figures of a hardening are written."""

from unnerve.reports.parts.numbers import between, count, percent, percent_between, significant
from unnerve.studies.harden.result import Hardening
from unnerve.studies.intervals.interval import Interval

__all__ = ["change", "change_span", "figure", "span", "trained"]

_DISTANCES = ("CLEVER",)


def figure(name: str, value: float) -> str:
    """Write a figure: a share in percent, a distance as it is."""
    return significant(value) if name in _DISTANCES else percent(value)


def span(name: str, one: Interval) -> str:
    """Write an interval of such a figure."""
    # An interval of distances may end at 1e-150, which is 0 for everybody.
    return between(round(one.low, 6), round(one.high, 6)) if name in _DISTANCES else percent_between(one.low, one.high)


def change(name: str, value: float) -> str:
    """Write by how much a figure changed: a share in percentage points."""
    sign = "+" if value > 0 else ""
    return f"{sign}{significant(value)}" if name in _DISTANCES else f"{sign}{significant(100 * value)} points"


def change_span(name: str, one: Interval) -> str:
    """Write an interval of such a change."""
    unit = 1 if name in _DISTANCES else 100
    return between(unit * one.low, unit * one.high)


def trained(found: Hardening) -> str:
    """Say what was trained on, and which epoch is kept."""
    known = found.training
    read = f"{count(known['benign'], 'benign inputs')} and {count(known['findings'], 'findings')}"
    kept = f"epoch {known['kept_epoch']} of {known['epochs']} is kept" if known["kept_epoch"] else "no epoch is kept"
    return f"trained on {read}; {kept}"
