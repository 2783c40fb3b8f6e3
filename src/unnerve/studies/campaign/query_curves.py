"""What was found by the time each seed had spent so many queries: the curves of a campaign."""

from dataclasses import dataclass

import numpy as np

from unnerve.campaign.tally import Tally
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["QueryCurves", "query_curves"]

_POINTS = 120


@dataclass(frozen=True)
class QueryCurves:
    """Curves of one method over queries per seed.

    Parameters
    ----------
    queries : array of shape (Q,), int
        Queries per seed.
    means : dict of str to array of shape (Q,)
        ``seeds_broken`` (share of seeds), ``error_categories`` and ``errors`` (mean per seed).
    low, high : dicts of the same make-up
        Ends of 95 % intervals over seeds, point by point.
    """

    queries: np.ndarray
    means: dict[str, np.ndarray]
    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]


def query_curves(one: Tally, most: int) -> QueryCurves:
    """Return the curves of a tally up to ``most`` queries per seed; seeds that failed are left out."""
    hunted = [record for record in one.seeds if record.failed is None]
    most = max(most, 2)
    # Most happens early: steps of equal ratio show it, steps of equal length would hide it in the first two points.
    spaced = np.arange(1, most + 1) if most <= _POINTS else np.geomspace(1, most, _POINTS)
    grid = np.unique(np.rint(spaced).astype(int))
    times = {
        "seeds_broken": [record.errors[:1] for record in hunted],
        "error_categories": [tuple(sorted(queries for _, queries in record.kinds)) for record in hunted],
        "errors": [record.errors for record in hunted],
    }
    if not hunted:
        empty = {name: np.zeros(len(grid)) for name in times}
        return QueryCurves(grid, empty, empty, empty)
    bands = {name: _band(_counted(some, grid)) for name, some in times.items()}
    return QueryCurves(
        grid,
        {name: np.array([one.mean for one in band]) for name, band in bands.items()},
        {name: np.array([one.low for one in band]) for name, band in bands.items()},
        {name: np.array([one.high for one in band]) for name, band in bands.items()},
    )


def _band(found: np.ndarray) -> list[Interval]:
    """Return the interval of the mean over seeds at each point of the grid, given what each had found: (seeds, Q)."""
    # What a seed might have brought by then, where none has brought anything: the most that one has brought since.
    most = max(1.0, float(found.max()))
    return [count_mean(BoundedCounts(counts, most)) for counts in found.T]


def _counted(times: list[tuple[int, ...]], grid: np.ndarray) -> np.ndarray:
    """Return how many of each seed's times lie at or below each point of the grid: (seeds, Q)."""
    return np.array([np.searchsorted(some, grid, side="right") for some in times], dtype=float).reshape(-1, len(grid))
