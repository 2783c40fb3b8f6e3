"""How much better one metric tells adversarial from benign inputs than another, on the same inputs."""

import numpy as np

from unnerve.papers.kuk.results import AttackFigures, TrialResult
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.jackknife import jackknife

__all__ = ["ahead"]


def ahead(result: TrialResult, figures: AttackFigures, metric: str, other: str) -> Interval:
    """Return the difference of two metrics' AUCs; over seeds, each with its benign and adversarial input."""
    own = dict(zip(figures.group.seeds, range(figures.group.count), strict=True))
    seeds = np.array(list(own))
    made = np.array([own[seed] for seed in seeds])

    def difference(rows: np.ndarray) -> float:
        return _area(result, figures, metric, seeds[rows], made[rows]) - _area(
            result, figures, other, seeds[rows], made[rows]
        )

    found = jackknife(len(seeds), difference, -1, 1)
    assert found is not None
    return found


def _area(result: TrialResult, figures: AttackFigures, metric: str, seeds: np.ndarray, made: np.ndarray) -> float:
    sign = -1 if metric == "pcs" else 1  # confidence is low where an input is suspect
    benign = np.sort(sign * np.array(result.benign.metrics[metric])[seeds])
    suspect = sign * np.array(figures.group.metrics[metric])[made]
    below = [np.searchsorted(benign, suspect, side=side).mean() for side in ("left", "right")]
    return float(sum(below)) / (2 * len(benign))
