"""What runs to the first failure cost, with intervals over the repeats."""

import numpy as np

from unnerve.measure.curves.f_measure import FMeasure
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.waiting_time import saved_share, waiting_time

__all__ = ["Runs", "examples_tried", "generations", "saved"]

Runs = tuple[FMeasure, ...]
"""One per repeat."""


def generations(runs: Runs, most: int) -> Interval:
    """Return the mean number of tries, of which a run makes ``most`` at most."""
    return waiting_time(_tries(runs), most)


def examples_tried(runs: Runs, most: int) -> Interval:
    """Return the mean number of inputs tried, of which there are ``most``."""
    return waiting_time(np.array([run.examples for run in runs], dtype=float), most)


def saved(random: Runs, ranked: Runs, most: int) -> Interval:
    """Return the share of the random order's tries that a ranking saves; a run makes ``most`` at most."""
    return saved_share(_tries(random), _tries(ranked), most)


def _tries(runs: Runs) -> np.ndarray:
    return np.array([run.generations for run in runs], dtype=float)
