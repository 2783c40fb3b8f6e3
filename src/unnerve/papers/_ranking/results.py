"""What one trained network's ranking is worth: the result of a cell, field by field as it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unnerve.papers._json import INLINE
from unnerve.papers._ranking.cells import Cell
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["CellResult", "Fit", "Proof", "ScoreFigures"]


@dataclass(frozen=True)
class Fit:
    """The curve ``a exp(-b x)`` and its correlation ``r`` with the data; None where no fit was possible."""

    a: float | None
    b: float | None
    r: float | None


@dataclass(frozen=True)
class ScoreFigures:
    """What one score's order is worth, as :meth:`unnerve.studies.rank.ranking_proof.RankingProof.summary` words it.

    Parameters
    ----------
    f_measure, f_measure_examples : float
        Mean generations, and mean inputs, until the first adversary.
    f_measure_random, f_measure_random_effective : float
        Mean generations in random order, of all candidates and of those with Eff > 0; None without the latter.
    inc, inc_effective : float
        Share of the generations saved against each of them.
    apfd, apfd_misclassified : float or None
    eff_mean : float
    censored, censored_random : int
        Runs without an adversary.
    fit, fit_points, fit_metric : Fit
        Of Eff against rank in 100 bins, against rank point by point, and against the metric.
    eff_d : str
        ``Best``, ``Middle``, ``Worst`` or ``-``.
    """

    f_measure: float
    f_measure_ci95: tuple[float, float]
    f_measure_examples: float
    f_measure_random: float
    f_measure_random_ci95: tuple[float, float]
    f_measure_random_effective: float | None
    inc: float
    inc_ci95: tuple[float, float]
    inc_effective: float | None
    apfd: float | None
    apfd_ci95: tuple[float, float] | None
    apfd_misclassified: float | None
    eff_mean: float
    censored: int
    censored_random: int
    fit: Fit
    fit_points: Fit
    fit_metric: Fit
    eff_d: str


@dataclass(frozen=True)
class Proof:
    """The proof of all metrics' rankings on the same candidates; ``first`` are the figures of ``score``."""

    score: str
    model: str
    data: str
    inputs: int
    tries: int
    repeats: int
    perturbation: str
    seed: int
    accuracy: float | None
    runner_up_share: float | None
    seconds: float
    first: ScoreFigures = field(metadata=INLINE)
    scores: Mapping[str, ScoreFigures]


@dataclass(frozen=True)
class CellResult:
    """What became of a cell, with what each input and each repeat did: the tables are made of these.

    Parameters
    ----------
    plan : Cell
    train_count : int
        Training examples; 0 of a network whose weights were at hand.
    train_seconds : float
    test_accuracy : float
        On the whole test set.
    proof : Proof
    eff : tuple of N floats
        Of the candidates.
    orders : dict of str to tuple of N int
        By score, the candidates in the order in which they are tried.
    runs : dict of str to tuple of R int
        Generations until the first adversary in each repeat: by score, ``random``, and ``random_effective`` of the
        candidates with Eff > 0.
    """

    plan: Cell
    train_count: int
    train_seconds: float
    test_accuracy: float
    proof: Proof
    eff: tuple[float, ...]
    orders: Mapping[str, tuple[int, ...]]
    runs: Mapping[str, tuple[int, ...]]

    def spreads(self) -> dict[str, Interval]:
        """Return the figures that the tables show, with their intervals over inputs or repeats."""
        found = {"mean Eff": bounded_mean(np.array(self.eff), 0, 1)}
        for name, one in self.proof.scores.items():
            found[f"{name}, F-measure"] = Interval(one.f_measure, *one.f_measure_ci95)
            found[f"{name}, Inc"] = Interval(one.inc, *one.inc_ci95)
            if one.apfd is not None and one.apfd_ci95 is not None:
                found[f"{name}, APFD"] = Interval(one.apfd, *one.apfd_ci95)
        first = self.proof.first
        found["random order, F-measure"] = Interval(first.f_measure_random, *first.f_measure_random_ci95)
        return found
