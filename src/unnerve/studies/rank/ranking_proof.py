"""What the proof of a ranking found: figures per score, against random order."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unnerve.core.data.examples import Examples
from unnerve.core.data.provenance import Provenance
from unnerve.core.results import Result
from unnerve.measure.curves.eff_d import eff_d
from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.measure.curves.f_measure import FMeasure
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.rank.scored import Scored
from unnerve.studies.rank.settings import RankingTrial

__all__ = ["COUNTS", "SHARES", "RankingProof", "ScoreProof"]

SHARES = ("accuracy", "inc", "inc_effective", "apfd", "apfd_misclassified", "eff_mean", "runner_up_share")
"""Figures that limits can be stated for, in per cent too."""
COUNTS = ("f_measure", "f_measure_examples", "f_measure_random", "censored", "censored_random", "seconds")
"""And those that are no shares."""


@dataclass(frozen=True, eq=False)
class ScoreProof:
    """What one score's order is worth.

    Parameters
    ----------
    score : str
    order : int64 array of shape (N,)
        Candidates, the most suspect first.
    runs : tuple of FMeasure
        One per repeat.
    f_measure, examples : Interval
        Mean generations, and mean inputs tried, until the first adversary; over repeats.
    inc, inc_effective : Interval
        Share of the generations saved against random order, and against random order of inputs with Eff > 0.
    apfd : Interval or None
        Area under the curve of vulnerable inputs (Eff > 0) found along the order; None if there are none.
    apfd_misclassified : Interval or None
        The same for misclassified inputs, where labels are known.
    fit, fit_points, fit_metric : ExponentialFit
        Of Eff against normalised rank (100 bins), against rank point by point, and against the metric scaled to [0, 1].
    """

    score: str
    order: np.ndarray
    runs: tuple[FMeasure, ...]
    f_measure: Interval
    examples: Interval
    inc: Interval
    inc_effective: Interval | None
    apfd: Interval | None
    apfd_misclassified: Interval | None
    fit: ExponentialFit
    fit_points: ExponentialFit
    fit_metric: ExponentialFit


@dataclass(frozen=True, eq=False, repr=False)
class RankingProof(Result):
    """The proof of several rankings on the same candidates.

    Parameters
    ----------
    trial : RankingTrial
    model, data : str
        How the user named them.
    candidates : Examples
    scored : Scored
        Of the candidates, in their order.
    eff : float array of shape (N,)
    runner_up_share : float
        Of all adversaries, the share that is taken for the second most probable class; NaN without adversaries.
    scores : dict of str to ScoreProof
        In the order asked for.
    random, random_effective : tuple of FMeasure
        Runs in random order, of all candidates and of those with Eff > 0 (the papers' condition).
    f_measure_random, f_measure_random_effective : Interval
    accuracy : Accuracy
        On the candidates.
    seconds : float
    provenance : Provenance or None
        How the proof came about.
    """

    trial: RankingTrial
    model: str
    data: str
    candidates: Examples
    scored: Scored
    eff: np.ndarray
    runner_up_share: float
    scores: dict[str, ScoreProof]
    random: tuple[FMeasure, ...]
    random_effective: tuple[FMeasure, ...]
    f_measure_random: Interval
    f_measure_random_effective: Interval | None
    accuracy: Accuracy
    seconds: float
    provenance: Provenance | None = None

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON, the first score's at the top level too."""
        marks = eff_d({name: one.fit.b for name, one in self.scores.items()})
        per_score = {name: self._figures(one) | {"eff_d": marks[name]} for name, one in self.scores.items()}
        first = next(iter(per_score))
        return {
            "score": first,
            "model": self.model,
            "data": self.data,
            "inputs": len(self.candidates),
            "tries": self.trial.tries,
            "repeats": self.trial.repeats,
            "perturbation": self.trial.perturbation,
            "seed": self.trial.seed,
            **self.accuracy.figures(),
            "runner_up_share": _number(self.runner_up_share),
            "seconds": self.seconds,
            **per_score[first],
            "scores": per_score,
        }

    def table(self) -> pa.Table:
        """Return one row per score: ``score`` and its figures."""
        rows = [{"score": name, **self._figures(one)} for name, one in self.scores.items()]
        return pa.Table.from_pylist(rows)

    def headline(self) -> str:
        """Return what was proven, in one line."""
        first = next(iter(self.scores.values()))
        tries = f"{first.f_measure.mean:.3g} tries to the first failure by {first.score}"
        return f"{self.model} on {self.data}: {tries}, {self.f_measure_random.mean:.3g} in random order"

    def _figures(self, one: ScoreProof) -> dict[str, Any]:
        fits = {"fit": one.fit, "fit_points": one.fit_points, "fit_metric": one.fit_metric}
        return {
            "f_measure": one.f_measure.mean,
            "f_measure_ci95": one.f_measure.ci95,
            "f_measure_examples": one.examples.mean,
            "f_measure_random": self.f_measure_random.mean,
            "f_measure_random_ci95": self.f_measure_random.ci95,
            "f_measure_random_effective": _mean(self.f_measure_random_effective),
            "inc": one.inc.mean,
            "inc_ci95": one.inc.ci95,
            "inc_effective": _mean(one.inc_effective),
            "apfd": _mean(one.apfd),
            "apfd_ci95": None if one.apfd is None else one.apfd.ci95,
            "apfd_misclassified": _mean(one.apfd_misclassified),
            "eff_mean": float(self.eff.mean()),
            "censored": sum(run.censored for run in one.runs),
            "censored_random": sum(run.censored for run in self.random),
            **{key: {"a": _number(fit.a), "b": _number(fit.b), "r": _number(fit.r)} for key, fit in fits.items()},
        }


def _mean(interval: Interval | None) -> float | None:
    return None if interval is None else interval.mean


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
