"""What the charts draw: plain numbers, no plotting."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from unnerve.measure.curves.f_measure import FMeasure
from unnerve.reports.parts.eff import EffSeries, eff_bins, eff_curve
from unnerve.reports.parts.names import short
from unnerve.reports.parts.numbers import between, significant
from unnerve.reports.ranking.strip import POINTS, Shown
from unnerve.reports.ranking.verdict import bound_words
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["Bar", "Found", "bars", "eff_series", "found"]

_STEPS = 400


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
    text = bound_words(runs) + significant(interval.mean)
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
