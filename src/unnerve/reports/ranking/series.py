"""What the charts draw: plain numbers, no plotting."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from unnerve.measure.curves.f_measure import FMeasure
from unnerve.reports.parts.effs.eff import EffSeries, eff_bins, eff_curve
from unnerve.reports.parts.names import short
from unnerve.reports.parts.numbers import between, significant
from unnerve.reports.ranking.strip import POINTS, Shown
from unnerve.reports.ranking.target import target
from unnerve.reports.ranking.verdict import bound_words
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["Bar", "Found", "bars", "eff_series", "found"]

# More points than a chart has pixels across add bytes and no detail.
_STEPS = 400
# The last few hits lie far down every order, and an axis that reaches them squeezes the part that tells orders apart.
_MOST_FOUND = 0.95
_LEAST_WIDTH = 20


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
    """Inputs looked for that are found along the orders.

    Parameters
    ----------
    tried : list of int
        Inputs tried.
    shares : dict of str to list of float
        By score: share of them found by then.
    ideal, low, high : list of float
        The best possible order, and what 95 % of random orders lie between.
    total, sought : int
    words : str
        What is looked for: ``wrong answers``.
    end : int
        Beyond it hardly any more are found.
    """

    tried: list[int]
    shares: dict[str, list[float]]
    ideal: list[float]
    low: list[float]
    high: list[float]
    total: int
    sought: int
    words: str
    end: int


def eff_series(proof: RankingProof, score: str, inputs: dict[int, Shown]) -> EffSeries:
    """Return Eff against normalised rank; at most 1,500 points, the first candidates (which were drawn at random)."""
    one, total = proof.scores[score], len(proof.candidates)
    # Candidates stand in the random order they were drawn in: the first ones are a fair sample.
    rows = list(range(min(POINTS, total)))
    # The middle of the stretch that an input takes up, as in the bins and the fitted curve.
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
    """Return how fast what is looked for is found, None if there is nothing."""
    wanted, total = target(proof), len(proof.candidates)
    if wanted.count == 0:
        return None
    tried = np.unique(np.rint(np.linspace(0, total, min(total, _STEPS) + 1)).astype(int))
    so_far = {name: np.concatenate([[0], np.cumsum(wanted.hit[one.order])]) for name, one in proof.scores.items()}
    shares = {name: (counts[tried] / wanted.count).tolist() for name, counts in so_far.items()}
    chance = stats.hypergeom(total, wanted.count, tried)
    low, high = (chance.ppf(edge) / wanted.count for edge in (0.025, 0.975))
    ideal = np.minimum(tried / wanted.count, 1)
    # The score asked for first decides the axis: the best of them would make it depend on who else takes part.
    first = next(iter(so_far.values()))
    end = min(total, max(_LEAST_WIDTH, round(1.25 * int(np.searchsorted(first, _MOST_FOUND * wanted.count)))))
    return Found(
        tried.tolist(), shares, ideal.tolist(), low.tolist(), high.tolist(), total, wanted.count, wanted.words, end
    )
