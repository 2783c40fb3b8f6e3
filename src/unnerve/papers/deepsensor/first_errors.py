"""Of every seed and wrong class the first input that a hunt found: how many, how natural, how evenly spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unnerve.campaign.inputs import stored_array
from unnerve.core.model import Classifier
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.intervals.count_mean import BoundedCounts

__all__ = ["CLASSES", "FirstErrors", "evenness", "first_errors", "naturalness"]

CLASSES = 10
_COLUMNS = ["seed_id", "after", "queries", "label", "input", "shape", "dtype"]


@dataclass(frozen=True)
class FirstErrors:
    """What one hunt found, seed by seed.

    Parameters
    ----------
    classes : tuple of N tuples of int
        Of each seed, the wrong classes, in the order in which they were found.
    recognised : tuple of N tuples of bool
        Of each of them, whether another network answers that input rightly.
    """

    classes: tuple[tuple[int, ...], ...]
    recognised: tuple[tuple[bool, ...], ...]

    @property
    def kinds(self) -> BoundedCounts:
        """Of each seed, its wrong classes."""
        return BoundedCounts(np.array([len(some) for some in self.classes]), CLASSES - 1)

    @property
    def broken(self) -> int:
        """Seeds with any."""
        return sum(bool(some) for some in self.classes)


def naturalness(found: FirstErrors, seeds: np.ndarray) -> float | None:
    """Return which share of the inputs of some seeds another network answers rightly, in ``[0, 1]``; None of none."""
    # Differs: Harel-Canada et al. take inception score and FID, whose network was trained on photos.
    right = [one for seed in seeds for one in found.recognised[seed]]
    return float(np.mean(right)) if right else None


def evenness(found: FirstErrors, seeds: np.ndarray) -> float | None:
    """Return Pielou's evenness of the wrong classes of some seeds, in ``[0, 1]``: 1 if all are as frequent.

    It is 0 if all are one class, and None of none. Classes that are never answered count as well.
    """
    # Differs: Harel-Canada et al. count the answers to all inputs, those that are right as well.
    wrong = [one for seed in seeds for one in found.classes[seed]]
    if not wrong:
        return None
    counts = np.bincount(wrong, minlength=CLASSES)
    shares = counts[counts > 0] / len(wrong)
    return abs(float((shares * np.log(shares)).sum() / np.log(CLASSES)))


def first_errors(campaign: Campaign, label: str, other: Classifier) -> FirstErrors:
    """Return what a method of a campaign found, and what another network answers to it."""
    first: dict[str, dict[int, dict[str, Any]]] = {seed.id: {} for seed in campaign.tallies[label].seeds}
    rows = [row for table in campaign.found(label, _COLUMNS) for row in table.to_pylist()]
    # Shards hold findings seed by seed, not in the order in which they were found.
    for row in sorted(rows, key=lambda one: int(one["queries"])):
        first[row["seed_id"]].setdefault(row["after"], row)
    return FirstErrors(
        tuple(tuple(some) for some in first.values()),
        tuple(_answered_rightly(other, list(some.values())) for some in first.values()),
    )


def _answered_rightly(model: Classifier, rows: Sequence[dict[str, Any]]) -> tuple[bool, ...]:
    if not rows:
        return ()
    x = torch.from_numpy(np.stack([stored_array(row["input"], row["shape"], row["dtype"]) for row in rows]))
    labels = torch.tensor([row["label"] for row in rows])
    return tuple((model.observe(x).predicted.cpu() == labels).tolist())
