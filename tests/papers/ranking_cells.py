"""Results of cells as an experiment would leave them, with round figures."""

from pathlib import Path
from typing import Any

from unnerve.papers._ranking.cells import METRICS, Cell


def small_cells(cell: Cell, data: Path) -> dict[str, Any]:
    """Return a result in which PD is the steepest."""
    assert data.is_dir()
    scores = {}
    for metric, steepness in zip(METRICS, (10.0, 8.0, 9.0), strict=True):
        fit = {"a": 0.5, "b": steepness, "r": 0.97}
        scores[metric] = {
            "fit": fit,
            "fit_points": fit | {"r": 0.8},
            "fit_metric": fit,
            "f_measure": 2.0,
            "f_measure_random": 200.0,
            "f_measure_random_effective": 20.0,
            "inc": 0.99,
        }
    return {
        "train_count": 10,
        "train_seconds": 1.0,
        "test_accuracy": 0.9,
        "proof": {"scores": scores, "runner_up_share": 0.8},
        "eff": [0.5, 0.1, 0.0],
        "scores": {metric: [0.3, 0.2, 0.1] for metric in METRICS},
    }
