"""What was found by the time each seed had spent so many queries: the curves of a campaign."""

from dataclasses import dataclass

import numpy as np

from unnerve.campaign.tally import Tally

__all__ = ["QueryCurves", "query_curves"]

_POINTS = 120
_DRAWS = 400


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
        Ends of 95 % intervals, by resampling seeds.
    """

    queries: np.ndarray
    means: dict[str, np.ndarray]
    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]


def query_curves(one: Tally, most: int, seed: int = 0) -> QueryCurves:
    """Return the curves of a tally up to ``most`` queries per seed; seeds that failed are left out."""
    hunted = [record for record in one.seeds if record.failed is None]
    most = max(most, 2)
    spaced = np.arange(1, most + 1) if most <= _POINTS else np.geomspace(1, most, _POINTS)
    grid = np.unique(np.rint(spaced).astype(int))
    times = {
        "seeds_broken": [record.errors[:1] for record in hunted],
        "error_categories": [tuple(sorted(queries for _, queries in record.kinds)) for record in hunted],
        "errors": [record.errors for record in hunted],
    }
    curves = {name: _counted(some, grid) for name, some in times.items()}
    if not hunted:
        empty = {name: np.zeros(len(grid)) for name in curves}
        return QueryCurves(grid, empty, empty, empty)
    draws = np.random.Generator(np.random.Philox(key=seed)).multinomial(
        len(hunted), np.full(len(hunted), 1 / len(hunted)), _DRAWS
    )
    spread = {name: draws @ found / len(hunted) for name, found in curves.items()}
    return QueryCurves(
        grid,
        {name: found.mean(axis=0) for name, found in curves.items()},
        {name: np.percentile(some, 2.5, axis=0) for name, some in spread.items()},
        {name: np.percentile(some, 97.5, axis=0) for name, some in spread.items()},
    )


def _counted(times: list[tuple[int, ...]], grid: np.ndarray) -> np.ndarray:
    """Return how many of each seed's times lie at or below each point of the grid: (seeds, Q)."""
    return np.array([np.searchsorted(some, grid, side="right") for some in times], dtype=float).reshape(-1, len(grid))
