"""The papers' scatter figures: Eff against rank, one for each network, data set and metric."""

from collections.abc import Sequence

import numpy as np

from unnerve.reports.parts.effs.eff import EffSeries, eff_bins, eff_curve
from unnerve.studies.rank.scored import most_suspect_first
from unnerve.studies.reproduction import Scatter

__all__ = ["Figure", "figures", "series"]

Figure = tuple[str, str, EffSeries, int]
"""Id of the chart, its title, what it draws, and the tries that Eff is a share of."""


def figures(scatters: Sequence[Scatter]) -> list[Figure]:
    """Return the figures of every network, data set and metric."""
    return [
        (
            f"{one.network}-{one.data}-{metric}",
            f"{one.network} on {one.data}, {metric.upper()}",
            series(one, metric),
            one.tries,
        )
        for one in scatters
        for metric in one.scores
    ]


def series(scatter: Scatter, metric: str) -> EffSeries:
    """Return the points, bin means and fitted curve of one metric."""
    order = most_suspect_first(np.array(scatter.scores[metric]))
    in_order = np.array(scatter.eff)[order]
    total = len(order)
    ranks = [(place + 0.5) / total for place in range(total)]
    curve, formula = eff_curve(scatter.fits[metric], total)
    hints = [f"test input {row}" for row in order]
    effs, bins = in_order.tolist(), eff_bins(in_order)
    return EffSeries(metric, order.tolist(), ranks, effs, hints, bins, curve, formula, max(effs))
