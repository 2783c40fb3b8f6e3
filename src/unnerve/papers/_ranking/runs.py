"""The experiment that NSATP and PEACEPACT share: train a network, rank test inputs, prove the ranking."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.papers._json import from_json
from unnerve.papers._networks import network
from unnerve.papers._parts import Part
from unnerve.papers._ranking.cells import SCORES, Cell
from unnerve.papers._ranking.results import CellResult, Proof
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.train import train_model
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["parts_of"]


def parts_of(cells: Sequence[Cell], data: Path, tables: tuple[int, ...]) -> list[Part[CellResult]]:
    """Return the experiments that the cells stand for, on data sets in a folder; all of them serve all tables."""
    return [Part(cell.name, cell, CellResult, partial(_run, cell, data), tables) for cell in cells]


def _run(cell: Cell, data: Path) -> CellResult:
    test = _split(cell.data, data, "test")
    subject, count, seconds = _subject(cell, data)
    proof = evaluate_ranking(subject, test, SCORES, trial=cell.trial)
    walks = {name: one.runs for name, one in proof.scores.items()}
    walks |= {"random": proof.random, "random_effective": proof.random_effective}
    return CellResult(
        plan=cell,
        train_count=count,
        train_seconds=seconds,
        test_accuracy=_accuracy(subject, test),
        # The data set by its name: where it lay is of no use to a reader.
        proof=from_json(Proof, proof.summary() | {"data": cell.data}),
        # Eff is a share of at most a few hundred tries: four digits keep it, and keep the file small.
        eff=tuple(round(float(value), 4) for value in proof.eff),
        orders={name: tuple(int(row) for row in one.order) for name, one in proof.scores.items()},
        runs={name: tuple(run.generations for run in runs) for name, runs in walks.items()},
    )


def _subject(cell: Cell, data: Path) -> tuple[Classifier, int, float]:
    """Return the network, how many examples it was trained with now, and for how long."""
    if cell.recipe is None:
        return network(cell.network, cell.data, data), 0, 0.0
    training = _split(cell.data, data, "train").first(cell.images)
    trained = train_model(cell.network, training, recipe=cell.recipe)
    return model(trained.module), len(training), trained.history["seconds"]


def _accuracy(subject: Classifier, test: Examples) -> float:
    right = [subject.observe(batch.inputs).predicted.numpy() == batch.labels for batch in test.batches()]
    return float(sum(part.sum() for part in right) / len(test))


def _split(name: str, data: Path, split: str) -> Examples:
    return examples(f"{name}:{data / name}", split=split)
