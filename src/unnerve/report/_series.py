"""What the charts draw: plain numbers, no plotting."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from scipy import stats

from unnerve.measure.curves.exponential_fit import ExponentialFit, rank_bins
from unnerve.measure.curves.f_measure import FMeasure
from unnerve.report._names import short
from unnerve.report._numbers import between, significant
from unnerve.report._strip import POINTS, Shown
from unnerve.studies.intervals import Interval
from unnerve.studies.ranking_proof import RankingProof

__all__ = ["BINS", "LEAST", "Bar", "EffSeries", "Found", "bars", "eff_series", "found"]

BINS = 100
LEAST = 5
_CURVE = 100
_STEPS = 400


@dataclass(frozen=True)
class EffSeries:
    """Eff along one score's order.

    Parameters
    ----------
    score : str
    rows, ranks, effs, hints : lists of length K
        The points: row of the input, normalised rank, Eff, and a line about it.
    bins : list of (normalised rank, mean Eff, reach of its 95 % interval or None)
        Empty if there are no more inputs than bins; no interval from fewer than five inputs.
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
    bins: list[tuple[float, float, float | None]]
    curve: list[tuple[float, float]]
    formula: str
    top: float


@dataclass(frozen=True)
class Bar:
    """Mean tries until the first error in one order; ``interval`` is drawn, ``text`` says both in words."""

    name: str
    interval: Interval
    text: str
    censored: int
    ranked: bool


@dataclass(frozen=True)
class Found:
    """Vulnerable inputs found along the orders.

    Parameters
    ----------
    tried : list of int
        Inputs tried.
    shares : dict of str to list of float
        By score: share of the vulnerable inputs found by then.
    ideal, low, high : list of float
        The best possible order, and what 95 % of random orders lie between.
    total, vulnerable : int
    """

    tried: list[int]
    shares: dict[str, list[float]]
    ideal: list[float]
    low: list[float]
    high: list[float]
    total: int
    vulnerable: int


def eff_series(proof: RankingProof, score: str, inputs: dict[int, Shown]) -> EffSeries:
    """Return Eff against normalised rank; at most 1,500 points, the first candidates (which were drawn at random)."""
    one, total = proof.scores[score], len(proof.candidates)
    rows = list(range(min(POINTS, total)))
    ranks = [(inputs[row].ranks[score] - 0.5) / total for row in rows]
    hints = [f"{short(inputs[row].id)}, taken for {short(inputs[row].predicted)}" for row in rows]
    in_order = proof.eff[one.order]
    bins = eff_bins(in_order)
    curve, formula = eff_curve(one.fit, total)
    effs = [inputs[row].eff for row in rows]
    return EffSeries(score, rows, ranks, effs, hints, bins, curve, formula, float(proof.eff.max()))


def eff_bins(in_order: np.ndarray) -> list[tuple[float, float, float | None]]:
    """Return (normalised rank, mean Eff, reach of its 95 % interval or None) of 100 stretches, none for few inputs."""
    if len(in_order) <= BINS:
        return []
    centres, means = rank_bins(torch.from_numpy(in_order), BINS)
    parts = np.array_split(in_order, BINS)
    return [(float(x), float(y), _reach(part)) for x, y, part in zip(centres, means, parts, strict=True)]


def _reach(part: np.ndarray) -> float | None:
    if len(part) < LEAST:
        return None
    return float(stats.t.ppf(0.975, len(part) - 1) * part.std(ddof=1) / math.sqrt(len(part)))


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


def bars(proof: RankingProof) -> tuple[Bar, ...]:
    """Return a bar for each score, the cheapest first, then random order, then random order of inputs with Eff > 0."""
    ranked = [_bar(name, one.f_measure, one.runs, True) for name, one in proof.scores.items()]
    ranked.sort(key=lambda bar: bar.interval.mean)
    ranked.append(_bar("random order", proof.f_measure_random, proof.random, False))
    if proof.f_measure_random_effective is not None:
        ranked.append(_bar("random, Eff > 0", proof.f_measure_random_effective, proof.random_effective, False))
    return tuple(ranked)


def _bar(name: str, interval: Interval, runs: tuple[FMeasure, ...], ranked: bool) -> Bar:
    censored = sum(run.censored for run in runs)
    text = f"{'at least ' if censored else ''}{significant(interval.mean)}"
    if len(runs) > 1:
        text += f" ({between(interval.low, interval.high)})"
    return Bar(name, interval, text, censored, ranked)


def found(proof: RankingProof) -> Found | None:
    """Return how fast the vulnerable inputs are found, None if there are none."""
    broken, total = proof.eff > 0, len(proof.candidates)
    vulnerable = int(broken.sum())
    if vulnerable == 0:
        return None
    tried = np.unique(np.rint(np.linspace(0, total, min(total, _STEPS) + 1)).astype(int))
    shares = {}
    for name, one in proof.scores.items():
        so_far = np.concatenate([[0], np.cumsum(broken[one.order])])
        shares[name] = (so_far[tried] / vulnerable).tolist()
    chance = stats.hypergeom(total, vulnerable, tried)
    low, high = (chance.ppf(edge) / vulnerable for edge in (0.025, 0.975))
    ideal = np.minimum(tried / vulnerable, 1)
    return Found(tried.tolist(), shares, ideal.tolist(), low.tolist(), high.tolist(), total, vulnerable)
