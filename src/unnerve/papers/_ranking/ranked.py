"""What one finished cell says when some of its inputs are drawn again: correlations, slopes, areas."""

from functools import cached_property

import numpy as np
import torch
from scipy.optimize import curve_fit

from unnerve.measure.curves.apfd import apfd
from unnerve.measure.curves.binomial_fit import CURVES, BinomialFit, binomial_fit
from unnerve.papers._ranking.results import CellResult

__all__ = ["FITS", "Ranked"]

FITS = ("logarithms, 100 bins", "logarithms, 20 bins", "nonlinear, 20 bins")
"""Ways to fit a curve, none of which the papers name; r depends on them more than on the data."""


class Ranked:
    """A cell's inputs in the order of each score."""

    def __init__(self, cell: CellResult) -> None:
        self.cell = cell
        self.eff = np.array(cell.eff)
        self.tries = cell.plan.trial.tries
        self._curves: dict[str, dict[str, BinomialFit]] = {}

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        """By score, the place of each input in its order."""
        return {name: np.argsort(np.array(order)) for name, order in self.cell.orders.items()}

    def __len__(self) -> int:
        return len(self.eff)

    def in_order(self, score: str, rows: np.ndarray) -> np.ndarray:
        """Return Eff of some inputs, in a score's order."""
        ordered: np.ndarray = self.eff[rows[np.argsort(self._places[score][rows], kind="stable")]]
        return ordered

    def correlation(self, score: str, fit: str, rows: np.ndarray) -> float | None:
        """Return r between the bins' means and the curve that is fitted to them, by one of ``FITS``."""
        way, _, bins = fit.partition(", ")
        x, y = _binned(self.in_order(score, rows), int(bins.split()[0]))
        curve = _by_logarithms(x, y) if way == "logarithms" else _nonlinear(x, y)
        # A bin without success has no logarithm, and is left out of both, as the paper's footnote 2 does.
        kept = y > 0 if way == "logarithms" else np.ones_like(y, dtype=bool)
        return None if curve is None else _correlation(y[kept], curve[0] * np.exp(-curve[1] * x[kept]))

    def slope(self, score: str, rows: np.ndarray) -> float | None:
        """Return b of the likeliest exponential; None if no input ever fell."""
        return _slope(self.in_order(score, rows), self.tries)

    def apfd(self, score: str, rows: np.ndarray) -> float | None:
        """Return the area under the curve of vulnerable inputs found along the order."""
        fallen = self.in_order(score, rows) > 0
        return apfd(torch.from_numpy(fallen)) if fallen.any() else None

    def curves(self, score: str) -> dict[str, BinomialFit]:
        """Return the likeliest curve of each kind, over all inputs."""
        if score not in self._curves:
            inputs = self.in_order(score, np.arange(len(self)))
            x = (np.arange(len(inputs)) + 0.5) / len(inputs)
            fallen = np.rint(inputs * self.tries)
            self._curves[score] = {name: binomial_fit(x, fallen, self.tries, name) for name in CURVES}
        return self._curves[score]


def _binned(eff: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Return middles and means of so many stretches of an order."""
    edges = np.linspace(0, len(eff), min(bins, len(eff)) + 1).astype(int)
    sums = np.add.reduceat(eff, edges[:-1])
    return (edges[:-1] + edges[1:]) / (2 * len(eff)), sums / np.diff(edges)


def _by_logarithms(x: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    kept = y > 0
    if kept.sum() < 2:
        return None
    slope, height = np.polyfit(x[kept], np.log(y[kept]), 1)
    return float(np.exp(height)), float(-slope)


def _nonlinear(x: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    try:
        # The search for the best curve passes some that grow beyond all bounds, and leaves them by itself.
        with np.errstate(over="ignore"):
            (height, fall), _ = curve_fit(
                lambda place, height, fall: height * np.exp(-fall * place), x, y, p0=(max(y[0], 1e-3), 10.0), maxfev=500
            )
    except (RuntimeError, TypeError):  # it did not settle; fewer bins than parameters
        return None
    return float(height), float(fall)


def _correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    return float(np.corrcoef(first, second)[0, 1]) if np.ptp(first) > 0 and np.ptp(second) > 0 else None


def _slope(eff: np.ndarray, tries: int) -> float | None:
    """Return b by iterated reweighting over 100 bins: as likely as can be, in a thousandth of the time."""
    x, means = _binned(eff, 100)
    count = np.full(len(x), len(eff) * tries / len(x))
    fallen = means * count
    if fallen.sum() == 0 or len(x) < 2:
        return None
    line = np.full(len(x), np.log(fallen.sum() / count.sum()))
    columns = np.stack([np.ones_like(x), x], axis=1)
    for _ in range(30):
        # Below a chance of 1, which no exponential with a positive height there could keep to.
        chance = np.exp(np.minimum(line, -1e-3))
        weight, aim = count * chance / (1 - chance), np.log(chance) + (fallen / count - chance) / chance
        solved = np.linalg.solve((columns.T * weight) @ columns, columns.T @ (weight * aim))
        moved = columns @ solved
        if np.abs(moved - line).max() < 1e-6:
            break
        line = np.clip(moved, line - 3, line + 3)
    return float(-solved[1])
