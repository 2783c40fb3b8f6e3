"""Which findings a report shows."""

import numpy as np

from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.numbers import count

__all__ = ["LIMIT", "sample", "sample_note"]

LIMIT = 300


def sample(evidence: Evidence, limit: int = LIMIT) -> np.ndarray:
    """Choose findings: every method and pair of classes takes turns, smallest change first.

    Every seed gives a method and pair its smallest change before any gives a second one.

    Returns
    -------
    int64 array of at most ``limit`` places in the evidence
        In the order of choice, so that its beginning is a fair sample too.
    """
    found = evidence.found
    # Flat, because numpy 2.0.0 returns the inverse with one more axis where one is named, other versions do not.
    pair = np.unique(np.stack([found.method, found.before, found.after]), axis=1, return_inverse=True)[1].reshape(-1)
    of_seed = _turn(np.stack([pair, found.seed]), found.change)
    turn = _turn(pair[None], of_seed, found.change)
    return np.lexsort((found.change, turn, of_seed))[:limit]


def sample_note(evidence: Evidence, shown: int) -> str:
    """Say which findings are shown."""
    total = len(evidence.found)
    if shown == total:
        return f"All {count(total)} findings." if total > 1 else "The only finding."
    each = "method and pair of classes" if len(evidence.methods) > 1 else "pair of classes"
    return (
        f"A sample of {count(shown)} of the {count(total)} findings: every {each} takes turns, the smallest changes "
        "and different seeds first."
    )


def _turn(groups: np.ndarray, *order: np.ndarray) -> np.ndarray:
    """Return the place of each element among those of its group (a column of ``groups``), in a given order."""
    # Backwards: lexsort sorts by its last key first.
    places = np.lexsort((*reversed(order), *groups[::-1]))
    sorted_ = groups[:, places]
    starts = np.r_[True, (sorted_[:, 1:] != sorted_[:, :-1]).any(axis=0)] if len(places) else np.zeros(0, dtype=bool)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(places)), 0)) if len(places) else places
    turn = np.empty(len(places), dtype=np.int64)
    turn[places] = np.arange(len(places)) - first
    return turn
