"""Cases of the claims that NSATP and PEACEPACT share: whether each network and data set supports them."""

from collections.abc import Sequence

from unnerve.papers._ranking.groups import Group
from unnerve.papers._rules import above
from unnerve.studies.intervals.interval import Interval

__all__ = ["exponential", "saving"]

_CORRELATION = 0.95  # NSATP's own bar, IV-D


def exponential(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool | None]:
    """Return whether r of the fitted curve reaches 0.95; None where that is open."""
    return [
        above(group.figure(metric, lambda one: one.fit.r, -1, 1), _CORRELATION)
        for group in groups
        for metric in metrics
    ]


def saving(groups: Sequence[Group], metrics: Sequence[str]) -> list[bool | None]:
    """Return whether ranking saves generations; None where that is open."""
    return [above(_inc(group, metric), 0) for group in groups for metric in metrics]


def _inc(group: Group, metric: str) -> Interval | None:
    if len(group.cells) > 1:
        return group.figure(metric, lambda one: one.inc, high=1)
    only = group.cells[0].proof.scores[metric]  # a single network has no spread over seeds, but one over repeats
    return Interval(only.inc, *only.inc_ci95)
