"""The experiment that NSATP and PEACEPACT share: train a network, rank test inputs, prove the ranking."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.papers._json import from_json
from unnerve.papers._parts import Part
from unnerve.papers._ranking.cells import METRICS, Cell
from unnerve.papers._ranking.results import CellResult, Proof
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.train import train_model
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["parts_of"]


def parts_of(cells: Sequence[Cell], data: Path) -> list[Part[CellResult]]:
    """Return the experiments that the cells stand for, on data sets in a folder."""
    return [Part(cell.name, cell, CellResult, partial(_run, cell, data)) for cell in cells]


def _run(cell: Cell, data: Path) -> CellResult:
    training, test = _split(cell.data, data, "train"), _split(cell.data, data, "test")
    trained = train_model(cell.network, training, test=test, recipe=cell.recipe)
    proof = evaluate_ranking(model(trained.module), test, METRICS, trial=cell.trial)
    return CellResult(
        plan=cell,
        train_count=len(training),
        train_seconds=trained.history["seconds"],
        test_accuracy=trained.history["test"]["accuracy"],
        proof=from_json(Proof, proof.summary()),
        # Eff is a share of at most a few hundred tries: four digits keep it, and keep the file small.
        eff=tuple(round(float(value), 4) for value in proof.eff),
        scores={name: tuple(float(value) for value in proof.scored.scores[name]) for name in METRICS},
    )


def _split(name: str, data: Path, split: str) -> Examples:
    return examples(f"{name}:{data / name}", split=split)
