"""Results of cells as an experiment would leave them, with round figures."""

from math import exp
from pathlib import Path

from unnerve.papers._ranking.cells import SCORES, Cell
from unnerve.papers._ranking.results import CellResult, Fit, Proof, ScoreFigures

INPUTS = 200


def figures(steepness: float) -> ScoreFigures:
    return ScoreFigures(
        f_measure=2.0,
        f_measure_ci95=(1.5, 2.5),
        f_measure_examples=1.0,
        f_measure_random=200.0,
        f_measure_random_ci95=(150.0, 250.0),
        f_measure_random_effective=20.0,
        inc=0.99,
        inc_ci95=(0.98, 1.0),
        inc_effective=0.9,
        apfd=0.9,
        apfd_ci95=(0.85, 0.95),
        apfd_misclassified=0.8,
        eff_mean=0.2,
        censored=0,
        censored_random=0,
        fit=Fit(0.5, steepness, 0.97),
        fit_points=Fit(0.5, steepness, 0.8),
        fit_metric=Fit(0.5, steepness, 0.97),
        eff_d="-",
    )


def small_cells(cell: Cell, data: Path) -> CellResult:
    """Return a result in which Eff is an exponential of the rank by PD, which the other scores know less well."""
    assert data.is_dir()
    scores = {score: figures(10.0 if score == "pd" else 8.0) for score in SCORES}
    proof = Proof("pd", "Sequential", cell.data, 3, 100, 10, "patch", 0, 0.9, 0.8, 1.0, scores["pd"], scores)
    eff = tuple(round(0.8 * exp(-4 * (place + 0.5) / INPUTS), 2) for place in range(INPUTS))
    orders = {score: tuple(range(INPUTS)) for score in SCORES}
    for score in ("pe", "pv"):  # the first third the other way round
        orders[score] = (*reversed(range(INPUTS // 3)), *range(INPUTS // 3, INPUTS))
    runs = dict.fromkeys(SCORES, (1, 3) * 5) | {"random": (150, 250) * 5, "random_effective": (10, 30) * 5}
    return CellResult(cell, 10, 1.0, 0.97, proof, eff, orders, runs)
