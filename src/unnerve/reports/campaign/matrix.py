"""What breaks into what: kinds of errors by class before and after, small enough to be read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.numbers import count

__all__ = ["OTHERS", "Matrix", "matrix"]

_MOST = 20

OTHERS = -1
"""Stands for all classes that have no row, or column, of their own."""


@dataclass(frozen=True)
class Matrix:
    """Kinds of errors (seeds that became a class) and errors, by class before and after.

    Parameters
    ----------
    rows, columns : tuple of int
        Classes before and after; the last may be ``OTHERS``.
    cells : dict of str to dict of str to (int, int)
        By method's place (``""`` for all of them), then ``before,after``: kinds and errors. Zeros are left out.
    seeds : dict of str to dict of int to int
        By row: how many seeds there are of the class, the whole of which a cell is a part. Of all seeds (``""``), and,
        where campaigns have seeds of their own, by method's place.
    note : str
        What was gathered under ``OTHERS``.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    cells: dict[str, dict[str, tuple[int, int]]]
    seeds: dict[str, dict[int, int]]
    note: str


def matrix(evidence: Evidence) -> Matrix | None:
    """Count kinds and errors by pair of classes; None if there are none."""
    found = evidence.found
    if not len(found):
        return None
    rows, columns = _chosen(evidence, found.before), _chosen(evidence, found.after)
    before, after = _gathered(found.before, rows), _gathered(found.after, columns)
    everyone = np.zeros(len(found), dtype=np.int64)
    # Counted anew and not summed over methods: a kind that two of them found is one kind.
    cells = {"": _cells(everyone, before, after, found.seed, found.after)[0]}
    if len(evidence.methods) > 1:
        of_method = _cells(found.method, before, after, found.seed, found.after)
        cells |= {str(method): one for method, one in of_method.items()}
    return Matrix(rows, columns, cells, _seeds(evidence, rows), _note(evidence, rows, columns))


def _seeds(evidence: Evidence, rows: tuple[int, ...]) -> dict[str, dict[int, int]]:
    """Return the seeds of each row's class, of all and of each method's campaign."""
    everyone = {"": _of_class(evidence, rows, np.ones(len(evidence.seeds), dtype=bool))}
    if len(set(evidence.tasks)) == 1:
        return everyone
    of_seed = np.array([task for task, _ in evidence.seeds], dtype=np.int64)
    of_task = {task: _of_class(evidence, rows, of_seed == task) for task in set(evidence.tasks)}
    methods = {str(place): of_task[evidence.tasks[one.campaign]] for place, one in enumerate(evidence.methods)}
    return everyone | methods


def _of_class(evidence: Evidence, rows: tuple[int, ...], own: np.ndarray) -> dict[int, int]:
    """Return how many of some seeds are of each row's class; without labels only those are known of that broke."""
    found = evidence.found
    classes = evidence.truths.copy()
    unknown = classes[found.seed] < 0
    classes[found.seed[unknown]] = found.before[unknown]
    gathered = _gathered(classes[own & (classes >= 0)], rows)
    met, times = np.unique(gathered, return_counts=True)
    return {int(one): int(number) for one, number in zip(met, times, strict=True)}


def _chosen(evidence: Evidence, classes: np.ndarray) -> tuple[int, ...]:
    """Return all classes if they are few, else those met most often, in their order, and the others as one."""
    if len(evidence.classes) <= _MOST:
        return tuple(range(len(evidence.classes)))
    # By kinds of errors: a seed that was broken a thousand times in one way counts once.
    pairs = np.unique(np.stack([classes, evidence.found.seed, evidence.found.after]), axis=1)[0]
    met, times = np.unique(pairs, return_counts=True)
    if len(met) <= _MOST:
        return tuple(int(one) for one in met)
    often = met[np.argsort(-times, kind="stable")[: _MOST - 1]]
    return (*(int(one) for one in np.sort(often)), OTHERS)


def _gathered(classes: np.ndarray, chosen: Sequence[int]) -> np.ndarray:
    return np.where(np.isin(classes, np.array(chosen)), classes, OTHERS)


def _cells(
    method: np.ndarray, before: np.ndarray, after: np.ndarray, seed: np.ndarray, reached: np.ndarray
) -> dict[int, dict[str, tuple[int, int]]]:
    errors = _counted(np.stack([method, before, after]))
    # With the class that was really reached, since under OTHERS two of them are two kinds.
    kinds = _counted(np.unique(np.stack([method, before, after, seed, reached]), axis=1)[:3])
    cells: dict[int, dict[str, tuple[int, int]]] = {}
    for (its, row, column), number in errors.items():
        cells.setdefault(its, {})[f"{row},{column}"] = (kinds[its, row, column], number)
    return cells


def _counted(keys: np.ndarray) -> dict[tuple[int, int, int], int]:
    """Count equal columns of an array of shape (3, K)."""
    distinct, times = np.unique(keys, axis=1, return_counts=True)
    return {(a, b, c): number for (a, b, c), number in zip(distinct.T.tolist(), times.tolist(), strict=True)}


def _note(evidence: Evidence, rows: tuple[int, ...], columns: tuple[int, ...]) -> str:
    parts = []
    for where, chosen, classes in (("row", rows, evidence.found.before), ("column", columns, evidence.found.after)):
        if chosen[-1] == OTHERS:
            left = len(np.setdiff1d(classes, np.array(chosen)))
            parts.append(f"the last {where} gathers {count(left)} other classes")
    if not parts:
        return ""
    shown = f"Of {count(len(evidence.classes))} classes the {_MOST - 1} met most often have a line of their own"
    return f"{shown}; {' and '.join(parts)}."
