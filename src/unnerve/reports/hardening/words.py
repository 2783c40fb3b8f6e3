"""How figures of a hardening are written."""

from unnerve.reports.parts.numbers import between, count, percent, percent_between, significant
from unnerve.studies.harden.result import Hardening
from unnerve.studies.intervals.interval import Interval

__all__ = ["figure", "span", "trained"]

_DISTANCES = ("CLEVER",)


def figure(name: str, value: float) -> str:
    """Write a figure: a share in percent, a distance as it is."""
    return significant(value) if name in _DISTANCES else percent(value)


def span(name: str, one: Interval) -> str:
    """Write an interval of such a figure."""
    return between(one.low, one.high) if name in _DISTANCES else percent_between(one.low, one.high)


def trained(found: Hardening) -> str:
    """Say what was trained on, and which epoch is kept."""
    known = found.training
    read = f"{count(known['benign'], 'benign inputs')} and {count(known['findings'], 'findings')}"
    kept = f"epoch {known['kept_epoch']} of {known['epochs']} is kept" if known["kept_epoch"] else "no epoch is kept"
    return f"trained on {read}; {kept}"
