"""The interval of an area under the ROC curve (AUC)."""

from collections.abc import Sequence

import numpy as np
import torch

from unnerve.measure.curves.auroc import auroc
from unnerve.studies.intervals._quantiles import NORMAL, exact_ends, student_quantile
from unnerve.studies.intervals.interval import Interval

__all__ = ["auc"]

Seeds = tuple[Sequence[str], Sequence[str]]
"""Which seed each suspect and each ordinary input comes from."""

_FURTHER = 5
"""Inputs of the smaller group that are supposed to have the largest spread that is possible, beside those seen."""


def auc(suspect: np.ndarray, ordinary: np.ndarray, seeds: Seeds | None = None) -> Interval:
    r"""Interval of the probability that a suspect input scores higher than an ordinary one, ties counting half.

    The variance is DeLong's, summed over seeds where inputs of both groups come from the same ones; at least that of
    Hanley and McNeil, because few inputs often look less spread than they are; at most
    :math:`A (1 - A) / \min(N, M)`, which no scores exceed and which holds where the groups do not overlap, so that
    nothing was seen of their spread. The area is then treated as a share of as many inputs as would have that
    variance.

    Parameters
    ----------
    suspect, ordinary : arrays of shape (N,) and (M,)
        Scores, both >= 1.
    seeds : two sequences of str, optional
        Which seed each input of either group comes from; all from different ones if None.

    Returns
    -------
    Interval
        In ``[0, 1]``; all of it if one group is from a single seed.

    References
    ----------
    DeLong et al., "Comparing the areas under two or more correlated receiver operating characteristic curves", 1988;
    Obuchowski, "Nonparametric analysis of clustered ROC curve data", 1997; Hanley and McNeil, "The meaning and use of
    the area under a receiver operating characteristic curve", 1982; Korn and Graubard, "Confidence intervals for
    proportions with small expected number of positive counts estimated from survey data", 1998.
    """
    above, below = _placed(suspect, ordinary), 1 - _placed(ordinary, suspect)
    area = auroc(torch.from_numpy(suspect), torch.from_numpy(ordinary))
    fewest = min(len(set(own)) for own in seeds) if seeds else min(len(suspect), len(ordinary))
    if fewest == 1:
        return Interval(area, 0.0, 1.0)
    largest = 1 / fewest  # of the variance divided by A (1 - A), as all that follows
    relative = largest
    if 0 < area < 1:
        seen = _variance(above - area, below - area, seeds) / (area * (1 - area))
        usual = min(max(seen, _hanley_mcneil(area, len(suspect), len(ordinary))), largest)
        relative = ((fewest - 1) * usual + _FURTHER * largest) / (fewest - 1 + _FURTHER)
    effective = (NORMAL / student_quantile(fewest)) ** 2 / relative
    return Interval(area, *exact_ends(area * effective, effective))


def _placed(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return for each score the share of the others that it exceeds, ties counting half."""
    in_order = np.sort(others)
    both = [np.searchsorted(in_order, scores, side=side) for side in ("left", "right")]
    return (both[0] + both[1]) / (2 * len(others))


def _variance(above: np.ndarray, below: np.ndarray, seeds: Seeds | None) -> float:
    parts = np.concatenate([above / len(above), below / len(below)])
    if seeds is None:
        return float(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below))
    names, owner = np.unique([*seeds[0], *seeds[1]], return_inverse=True)
    # Summed by seed before they are squared: what the inputs of one seed have in common does not average out.
    return float(np.square(np.bincount(owner, parts)).sum()) * len(names) / max(1, len(names) - 1)


def _hanley_mcneil(area: float, suspect: int, ordinary: int) -> float:
    """Return the variance for exponential scores divided by A (1 - A), with equal groups as Newcombe (2006) advises."""
    each = (suspect + ordinary) / 2 - 1
    return (1 + each * ((1 - area) / (2 - area) + area / (1 + area))) / (suspect * ordinary)
