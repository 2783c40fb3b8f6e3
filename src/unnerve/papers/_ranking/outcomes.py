"""Cases of the claims that NSATP and PEACEPACT share: whether each network and data set supports them."""

from collections.abc import Sequence

import numpy as np

from unnerve.papers._ranking.groups import Group
from unnerve.papers._ranking.ranked import FITS, Ranked
from unnerve.papers._rules import above
from unnerve.studies.intervals.interval import Interval

__all__ = ["correlated", "exponential", "falling", "lead", "saving"]

_CORRELATION = 0.95  # NSATP's own bar, IV-D


def falling(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool | None]:
    """Return whether the likeliest exponential falls; None where its interval holds a flat one."""
    return [above(group.slope(metric), 0) for group in groups for metric in metrics]


def correlated(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool | None]:
    """Return whether r reaches 0.95 however the curve is fitted; None where that depends on the fit, or is open."""
    found = []
    for group in groups:
        for metric in metrics:
            each = [above(group.correlation(metric, fit), _CORRELATION) for fit in FITS]
            found.append(each[0] if len(set(each)) == 1 else None)
    return found


def exponential(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool]:
    """Return of every trained network whether Akaike's criterion prefers the exponential to the other curves."""
    return [
        min(fits.values(), key=lambda fit: fit.aic).curve == "exponential"
        for group in groups
        for metric in metrics
        for fits in (one.curves(metric) for one in group.ranked)
    ]


def saving(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool | None]:
    """Return whether ranking saves generations; None where that is open."""
    return [above(group.inc(metric), 0) for group in groups for metric in metrics]


def lead(group: Group, metric: str, others: Sequence[str]) -> Interval | None:
    """Return by how much a metric's slope exceeds the steepest of the others, on the same inputs."""

    def ahead(one: Ranked, rows: np.ndarray) -> float | None:
        own, rivals = one.slope(metric, rows), [one.slope(name, rows) for name in others]
        known = [slope for slope in rivals if slope is not None]
        return None if own is None or not known else own - max(known)

    return group.over_inputs(ahead)
