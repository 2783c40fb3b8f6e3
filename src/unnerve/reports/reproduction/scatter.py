"""The papers' scatter figures: Eff against rank, one for each network, data set and metric."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.reports.parts.eff import EffSeries, eff_bins, eff_curve
from unnerve.studies.rank import most_suspect_first

__all__ = ["Figure", "figures", "series"]

Figure = tuple[str, str, EffSeries]
"""Id of the chart, its title, what it draws."""


def figures(cells: tuple[Mapping[str, Any], ...]) -> list[Figure]:
    """Return the figures of the first training seed of every network and data set, in the cells' order."""
    shown: dict[tuple[str, str], Mapping[str, Any]] = {}
    for cell in cells:
        shown.setdefault((cell["plan"]["network"], cell["plan"]["data"]), cell)
    return [
        (f"{network}-{data}-{metric}", f"{network} on {data}, {metric.upper()}", series(cell, metric))
        for (network, data), cell in shown.items()
        for metric in cell["scores"]
    ]


def series(cell: Mapping[str, Any], metric: str) -> EffSeries:
    """Return the points, bin means and fitted curve of one metric in one cell."""
    order = most_suspect_first(np.array(cell["scores"][metric]))
    in_order = np.array(cell["eff"])[order]
    total = len(order)
    ranks = [(place + 0.5) / total for place in range(total)]
    fit = cell["proof"]["scores"][metric]["fit"]
    a, b, r = (_number(fit[key]) for key in "abr")
    curve, formula = eff_curve(ExponentialFit(a, b, r, points=0), total)
    hints = [f"test input {row}" for row in order]
    effs, bins = in_order.tolist(), eff_bins(in_order)
    return EffSeries(metric, order.tolist(), ranks, effs, hints, bins, curve, formula, max(effs))


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
