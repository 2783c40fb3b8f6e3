"""Results of cells as an experiment would leave them, with round figures."""

from pathlib import Path

from unnerve.papers._ranking.cells import METRICS, Cell
from unnerve.papers._ranking.results import CellResult, Fit, Proof, ScoreFigures


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
    """Return a result in which PD is the steepest."""
    assert data.is_dir()
    scores = dict(zip(METRICS, map(figures, (10.0, 8.0, 9.0)), strict=True))
    proof = Proof("pd", "Sequential", cell.data, 3, 100, 10, "patch", 0, 0.9, 0.8, 1.0, scores["pd"], scores)
    ranked = dict.fromkeys(METRICS, (0.3, 0.2, 0.1))
    return CellResult(cell, 10, 1.0, 0.9, proof, (0.5, 0.1, 0.0), ranked)
