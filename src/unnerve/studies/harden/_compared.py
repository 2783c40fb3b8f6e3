"""Two networks side by side: shares and scores of the same inputs, with intervals of the difference."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from unnerve.studies.harden._chosen import Chosen
from unnerve.studies.harden._measured import Measured
from unnerve.studies.harden.result import Compared
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["compared"]


def compared(before: Measured, after: Measured, parts: Chosen, inputs: int, radius: float) -> dict[str, Any]:
    """Return the figures of both networks, by the fields of a Hardening.

    Parameters
    ----------
    before, after : Measured
    parts : Chosen
    inputs : int
        How many fresh inputs were attacked.
    radius : float
        The largest CLEVER score that is possible.
    """
    tried = parts.fresh.first(inputs).ids()
    robust = [np.array([_bears(one, name) for name in tried]) for one in (before, after)]
    known = parts.trained_on
    groups: dict[str, Callable[[str], bool]] = {
        "trained_on": lambda name: name in known,
        "not_trained_on": lambda name: name not in known,
    }
    names = {group: [name for name in before.failing if member(name)] for group, member in groups.items()}
    return {
        "accuracy": _shares(before.right, after.right),
        "robust_accuracy": _shares(*robust),
        "attacks": {label: _success(before.broken[label], after.broken[label]) for label in before.broken},
        "clever": _scores(before.clever, after.clever, radius),
        "replayed": {
            group: _shares(*(np.array([one.failing[name] for name in some]) for one in (before, after)))
            for group, some in names.items()
            if some
        },
        "counts": {
            "fresh": len(parts.fresh),
            "attacked": len(tried),
            "clever": sum(name in after.clever for name in before.clever),
            "validation": len(parts.validation),
        },
    }


def _scores(before: Mapping[str, float], after: Mapping[str, float], radius: float) -> Compared | None:
    """Compare CLEVER; its change is that on inputs which have a score under both networks."""
    both = [name for name in before if name in after]
    if not both:
        return None
    first, second = (np.array([one[name] for name in both]) for one in (before, after))
    # Paired: scores of the same input under both networks go together, and the difference of two means would hide that.
    # As counts that are no whole numbers: many stay as they are, and Student's interval would not hold the truth then.
    change = count_difference(BoundedCounts(second, radius, least=0), BoundedCounts(first, radius, least=0))
    own, other = (bounded_mean(np.array(list(one.values())), 0, radius) for one in (before, after))
    return Compared(own, other, change)


def _bears(one: Measured, name: str) -> bool:
    """Say whether an input is answered correctly, and no attack breaks it."""
    # A hunt begins from inputs that are answered correctly, so that any attack's list of them tells which these are.
    first = next(iter(one.broken.values()))
    return name in first and not any(some.get(name, False) for some in one.broken.values())


def _shares(before: np.ndarray, after: np.ndarray) -> Compared:
    return Compared(_share(before), _share(after), _difference(after, before))


def _success(before: Mapping[str, bool], after: Mapping[str, bool]) -> Compared:
    """Compare attack success; its change is that on inputs which both networks answer correctly."""
    # Each success is a share of what its own network answers correctly. Their plain difference would mix a change of
    # the network with a change of the inputs.
    both = [name for name in before if name in after]
    change = Interval(float("nan"), -1.0, 1.0)
    if both:
        change = _difference(*(np.array([one[name] for name in both]) for one in (after, before)))
    first, second = (_share(np.array(list(one.values()))) for one in (before, after))
    return Compared(first, second, change)


def _share(values: np.ndarray) -> Interval:
    return proportion(int(values.sum()), len(values))


def _difference(first: np.ndarray, second: np.ndarray) -> Interval:
    return count_difference(BoundedCounts(first.astype(np.int64), 1), BoundedCounts(second.astype(np.int64), 1))
