"""What one trained network's ranking is worth: the result of a cell, field by field as it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unnerve.papers._json import INLINE
from unnerve.papers._ranking.cells import Cell

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
    """What became of a cell.

    Parameters
    ----------
    plan : Cell
    train_count : int
        Training examples.
    train_seconds : float
    test_accuracy : float
    proof : Proof
    eff : tuple of N floats
        Of the candidates.
    scores : dict of str to tuple of N floats
        Of the candidates, by metric.
    """

    plan: Cell
    train_count: int
    train_seconds: float
    test_accuracy: float
    proof: Proof
    eff: tuple[float, ...]
    scores: Mapping[str, tuple[float, ...]]
