"""The interval of the average percentage of faults detected (APFD)."""

import math

import numpy as np
import torch

from unnerve.measure.curves.apfd import apfd as point_estimate
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["apfd"]


def apfd(faults: np.ndarray) -> Interval | None:
    r"""Interval of APFD over the choice of inputs, given one order of them.

    APFD is a function of the share of faults :math:`\phi` and of the probability A that a fault comes before another
    input, :math:`1 - \phi / 2 - (1 - \phi)(1 - A)`; the intervals of the two are put together by their derivatives.

    Parameters
    ----------
    faults : bool array of shape (N,)
        Whether the input at each place of the order reveals a fault of its own.

    Returns
    -------
    Interval or None
        In ``[0, 1]``; None without faults.

    References
    ----------
    Rothermel et al., "Prioritizing Test Cases for Regression Testing", 2001; Zou and Donner, "Construction of
    confidence limits about effect measures: a general approach", 2008.
    """
    count, found = len(faults), int(faults.sum())
    if found == 0:
        return None
    # Negative places, since the area is over scores, of which the higher comes first.
    mean, early = point_estimate(torch.from_numpy(faults)), -np.arange(count, dtype=float)
    if found == count:
        return Interval(mean, 0.0, 1.0)
    area, frequency = auc(early[faults], early[~faults]), proportion(found, count)
    slope, weight = area.mean - 0.5, 1 - frequency.mean
    fewer, more = (slope * (frequency.mean - end) for end in (frequency.low, frequency.high))
    rise, fall = max(fewer, more), max(-fewer, -more)
    low = mean - math.hypot(weight * (area.mean - area.low), fall)
    high = mean + math.hypot(weight * (area.high - area.mean), rise)
    return Interval(mean, max(0.0, low), min(1.0, high))
