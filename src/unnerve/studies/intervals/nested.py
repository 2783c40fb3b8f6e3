"""The interval of a figure of several trained networks, each tried on inputs: both were drawn."""

import math
from collections.abc import Sequence

import numpy as np

from unnerve.studies.intervals._quantiles import student_quantile
from unnerve.studies.intervals._shares import as_share
from unnerve.studies.intervals.interval import Interval

__all__ = ["nested"]


def nested(networks: Sequence[Interval | None], low: float = -math.inf, high: float = math.inf) -> Interval | None:
    """Interval of a mean over networks, each of which has an interval over its inputs.

    Two reaches are put together as independent ones: that over networks, by Student's law for so few (of bounded
    figures with the lopsidedness that they must have), and the mean reach over inputs. The latter does not
    shrink with the number of networks: they were mostly tried on the same inputs, so that an unlucky draw of inputs
    moves all of them. Where nothing was found it is the whole interval.

    Parameters
    ----------
    networks : sequence of Interval or None
        Of the figure in each network, over its inputs or repeats; None where there is none.
    low, high : float
        What is possible.

    Returns
    -------
    Interval or None
        In ``[low, high]``; None if no network has the figure. Of a single network its own: it says nothing of others.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach", 2008.
    """
    known = [one for one in networks if one is not None]
    if len(known) < 2:
        return known[0] if known else None
    means = [one.mean for one in known]
    mean = float(np.mean(means))
    over = _over_networks(mean, float(np.std(means, ddof=1)) / math.sqrt(len(known)), len(known), (low, high))
    below = math.hypot(mean - over.low, mean - float(np.mean([one.low for one in known])))
    above = math.hypot(over.high - mean, float(np.mean([one.high for one in known])) - mean)
    return Interval(mean, max(low, mean - below), min(high, mean + above))


def _over_networks(mean: float, error: float, networks: int, bounds: tuple[float, float]) -> Interval:
    if all(map(math.isfinite, bounds)):
        return as_share(mean, error, networks, bounds)
    reach = student_quantile(networks) * error
    return Interval(mean, mean - reach, mean + reach)
