"""By how much one method, or one way of training, leads another, with intervals over networks and seeds."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from unnerve.papers.deepsensor_faults.experiments.hunted import Hits, Hunted
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested

__all__ = ["RIVALS", "Figure", "ahead", "apart", "broken", "each_seed", "lead"]

RIVALS = ("DeepXplore", "DLFuzz", "DeepHunter")

Figure = Callable[[Hits], BoundedCounts]
"""What a method found -> a count for each of the N seeds, and the most that is possible."""


def broken(hits: Hits) -> BoundedCounts:
    """Return which seeds a method breaks, 0 or 1 of each."""
    return BoundedCounts(hits.broken, 1)


def each_seed(results: Sequence[Hunted], method: str, figure: Figure) -> Interval | None:
    """Return the mean of a method's figure over networks and seeds."""
    found = [figure(one.rows[method]) for one in results]
    return nested([count_mean(one) for one in found], 0, _most(found)) if found else None


def lead(
    results: Sequence[Hunted], kind: str, factor: float, rivals: Sequence[str] = RIVALS, figure: Figure = broken
) -> Interval | None:
    """Return a kind's figure less so many times the mean of its rivals'.

    Parameters
    ----------
    results : sequence of Hunted
        Of networks trained alike.
    kind : str
        ``sensitive`` or ``excitable``.
    factor : float
    rivals : sequence of str
    figure : callable
    """
    if not results:
        return None
    ours = [figure(one.rows[kind]) for one in results]
    theirs = [[figure(one.rows[rival]) for rival in rivals] for one in results]
    low, high = -factor * _most([one for some in theirs for one in some]), _most(ours)
    # Differences, not quotients: these have no interval where rivals find nothing.
    leads = [
        bounded_mean(own.counts - factor * np.mean([one.counts for one in others], axis=0), low, high)
        for own, others in zip(ours, theirs, strict=True)
    ]
    return nested(leads, low, high)


def ahead(results: Sequence[Hunted], kind: str, rival: str, figure: Figure = broken) -> Interval | None:
    """Return by how much a kind's figure is larger than one rival's, in networks trained alike."""
    return _difference((figure(one.rows[kind]), figure(one.rows[rival])) for one in results)


def apart(faulty: Sequence[Hunted], sound: Sequence[Hunted], kind: str) -> Interval | None:
    """Return by how much the share of seeds differs; each training seed makes one pair of networks."""
    pairs = zip(faulty, sound, strict=False)
    return _difference((broken(one.rows[kind]), broken(other.rows[kind])) for one, other in pairs)


def _difference(pairs: Iterable[tuple[BoundedCounts, BoundedCounts]]) -> Interval | None:
    """Return by how much counts differ; a pair is of one network, or of two of one training seed."""
    own, low, high = [], -1.0, 1.0
    for one, other in pairs:
        # Two networks' seeds are not always as many: what one of them answers wrongly is no seed of it.
        both = min(len(one.counts), len(other.counts))
        first, second = (BoundedCounts(some.counts[:both], some.most) for some in (one, other))
        own.append(count_difference(first, second))
        low, high = min(low, -second.most), max(high, first.most)
    return nested(own, low, high)


def _most(found: Sequence[BoundedCounts]) -> float:
    return max(one.most for one in found)
