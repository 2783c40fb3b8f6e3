"""What a repair changed, and by how much one repair is ahead of others, with intervals over networks and inputs."""

import math
from collections.abc import Sequence

import numpy as np

from unnerve.core.naming.catalogue import build
from unnerve.papers.deepsensor_faults.experiments.repaired import Mended, Repaired, RepairPlan
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested

__all__ = ["ENOUGH", "Pair", "change", "changed", "lead", "like_networks", "most_possible", "too_few"]

ENOUGH = 10
"""Inputs from which on an interval of CLEVER's change is known to hold the truth often enough."""

Pair = tuple[Interval | None, Sequence[Interval | None]]
"""A figure of a repair, and of those that it is compared with, in one network."""


def like_networks(results: Sequence[Repaired]) -> dict[str, list[Repaired]]:
    """Return repairs by network, of all training seeds."""
    found: dict[str, list[Repaired]] = {}
    for one in results:
        found.setdefault(one.plan.network.setup.network, []).append(one)
    return found


def change(results: Sequence[Repaired], repair: str, figure: str) -> Interval | None:
    """Return what a repair changed, over networks and inputs; None if it was tried nowhere, or on too few inputs."""
    known = [changed(one, repair, figure) for one in results]
    most = most_possible(results[0].plan, figure)
    return nested(known, -most, most)


def changed(result: Repaired, repair: str, figure: str) -> Interval | None:
    """Return what a repair changed in one network, with its interval over inputs."""
    mended = result.repairs.get(repair)
    if mended is None:
        return None
    found = _clever(result.plan, mended) if figure == "clever" else mended.figures[figure].change
    # Not a number where both networks answer no input correctly.
    return None if found is None or math.isnan(found.mean) else found


def lead(pairs: Sequence[Pair], most: float, factor: float = 1) -> Interval | None:
    """Return by how much a figure is larger than so many times the mean of others; None of fewer than two networks.

    The two are put together as independent ones. They are not, for all repairs begin from one network and are tried on
    the same inputs: their figures move together, so that the interval is rather too wide. So do those of the others,
    whose mean has therefore their mean reach.

    Parameters
    ----------
    pairs : sequence of Pair
        Of each network.
    most : float
        The largest figure that is possible, whatever its sign.
    factor : float
    """
    known = [_apart(own, [one for one in others if one is not None], factor) for own, others in pairs]
    # A network alone says nothing of the next one's training.
    if sum(one is not None for one in known) < 2:
        return None
    return nested(known, -most * (1 + factor), most * (1 + factor))


def most_possible(plan: RepairPlan, figure: str) -> float:
    """Return by how much a figure can change."""
    return float(build("robustness measure", plan.clever).radius) if figure == "clever" else 1.0


def too_few(plan: RepairPlan, figure: str) -> bool:
    """Return whether a figure was measured on too few inputs for an interval."""
    return figure == "clever" and plan.clever_inputs < ENOUGH


def _clever(plan: RepairPlan, mended: Mended) -> Interval | None:
    scores = np.array(list(mended.clever_scores.values()))
    if too_few(plan, "clever") or 0 < len(scores) < ENOUGH:
        return None
    if not len(scores):  # an older cell, which keeps its interval alone
        return mended.figures["clever"].change
    most = most_possible(plan, "clever")
    return count_difference(*(BoundedCounts(scores[:, end], most, least=0) for end in (1, 0)))


def _apart(own: Interval | None, others: Sequence[Interval], factor: float) -> Interval | None:
    if own is None or not others:
        return None
    other, low, high = (factor * float(np.mean([getattr(one, end) for one in others])) for end in ("mean", *_ENDS))
    mean = own.mean - other
    return Interval(
        mean, mean - math.hypot(own.mean - own.low, high - other), mean + math.hypot(own.high - own.mean, other - low)
    )


_ENDS = ("low", "high")
