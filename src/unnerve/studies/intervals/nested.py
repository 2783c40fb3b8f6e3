"""The interval of a figure of several trained networks, each tried on inputs of its own: both were drawn."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import norm

from unnerve.core.streams import Streams
from unnerve.studies.intervals._quantiles import student_quantile
from unnerve.studies.intervals.interval import Interval

__all__ = ["Drawn", "nested"]

RESAMPLES = 400
Drawn = Sequence[tuple[int, np.ndarray]]
"""Networks by number, each with the numbers of its inputs; both may repeat."""


def nested(sizes: Sequence[int], figure: Callable[[Drawn], float | None]) -> Interval | None:
    """Interval by resampling networks, and inputs within each, as they were drawn.

    Percentiles of a bootstrap of five networks are too narrow; they are moved outwards so far that a mean of that many
    normal values would be covered (expanded percentiles; of five networks 55 in 60 simulated means were). An interval
    never leaves what the figure can be.

    Parameters
    ----------
    sizes : sequence of int
        Inputs (or repeats) of each network, all >= 1.
    figure : callable
        Of networks and inputs; None where there is none.

    Returns
    -------
    Interval or None
        None where the figure is None. Of a single network over its inputs alone: it says nothing of other networks.

    References
    ----------
    Hesterberg, "What Teachers Should Know About the Bootstrap", 2015; Davison and Hinkley, "Bootstrap Methods and
    their Application", 1997, Section 3.8.
    """
    mean = figure([(number, np.arange(size)) for number, size in enumerate(sizes)])
    if mean is None:
        return None
    streams = Streams(0, ["resampled"])
    values = [figure(_drawn(streams, step, sizes)) for step in range(RESAMPLES)]
    known = [value for value in values if value is not None]
    few = len(sizes) if len(sizes) > 1 else sizes[0]
    if few < 2 or not known:
        return Interval(mean, -math.inf, math.inf)
    outside = float(norm.cdf(-student_quantile(few) * math.sqrt(few / (few - 1))))
    low, high = np.quantile(known, [outside, 1 - outside])
    return Interval(mean, min(mean, float(low)), max(mean, float(high)))


def _drawn(streams: Streams, step: int, sizes: Sequence[int]) -> list[tuple[int, np.ndarray]]:
    networks = _numbers(streams, step, 0, len(sizes), len(sizes)) if len(sizes) > 1 else np.zeros(1, dtype=int)
    return [
        (int(network), _numbers(streams, step, draw, sizes[network], sizes[network]))
        for draw, network in enumerate(networks, start=1)
    ]


def _numbers(streams: Streams, step: int, draw: int, count: int, below: int) -> np.ndarray:
    numbers: np.ndarray = (streams.uniform(step, draw, (count,))[0].double().numpy() * below).astype(int)
    return numbers.clip(0, below - 1)
