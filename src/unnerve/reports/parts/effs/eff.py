"""Eff along the order of a score: points, means of stretches and the fitted curve, as plain numbers."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from unnerve.measure.curves.exponential_fit import ExponentialFit, rank_bins
from unnerve.reports.parts.numbers import significant
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["BINS", "LEAST", "EffSeries", "eff_bins", "eff_curve"]

BINS = 100
LEAST = 30
_CURVE = 100


@dataclass(frozen=True)
class EffSeries:
    """Eff along one score's order.

    Parameters
    ----------
    score : str
    rows, ranks, effs, hints : lists of length K
        The points: row of the input, normalised rank, Eff, and a line about it.
    bins : list of (normalised rank, mean Eff, its interval or None)
        Empty if there are no more inputs than bins; no interval from fewer than thirty inputs, of which most have
        Eff 0, so that it would say nothing.
    curve : list of (normalised rank, height)
        Empty if there is no fit.
    formula : str
    top : float
        Largest Eff of all candidates, for the axis.
    """

    score: str
    rows: list[int]
    ranks: list[float]
    effs: list[float]
    hints: list[str]
    bins: list[tuple[float, float, Interval | None]]
    curve: list[tuple[float, float]]
    formula: str
    top: float


def eff_bins(in_order: np.ndarray) -> list[tuple[float, float, Interval | None]]:
    """Return (normalised rank, mean Eff, its 95 % interval or None) of 100 stretches, none for few inputs."""
    if len(in_order) <= BINS:
        return []
    centres, means = rank_bins(torch.from_numpy(in_order), BINS)
    parts = np.array_split(in_order, BINS)
    around = [bounded_mean(part, 0, 1) if len(part) >= LEAST else None for part in parts]
    return [(float(x), float(y), one) for x, y, one in zip(centres, means, around, strict=True)]


def eff_curve(fit: ExponentialFit, total: int) -> tuple[list[tuple[float, float]], str]:
    """Return the points of a fitted curve and its formula; nothing if there is no fit."""
    if math.isnan(fit.b):
        return [], ""
    # Close together at the left, for a logarithmic axis.
    places = torch.from_numpy(np.unique(np.r_[0, np.geomspace(0.25 / total, 1, _CURVE), np.linspace(0, 1, _CURVE)]))
    heights = fit(places).tolist()
    sign = "-" if fit.b >= 0 else ""
    formula = f"{significant(fit.a)} exp({sign}{significant(abs(fit.b))} x), r = {significant(fit.r)}"
    return list(zip(places.tolist(), heights, strict=True)), formula
