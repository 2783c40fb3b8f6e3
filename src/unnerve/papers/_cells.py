"""The experiment that NSATP and PEACEPACT share: train a network, rank test inputs, prove the ranking."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.core.examples import Examples
from unnerve.core.files import whole_file
from unnerve.studies.evaluate_ranking import evaluate_ranking
from unnerve.studies.ranking_proof import Protocol
from unnerve.studies.train import train_model
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.training.recipes import Recipe

__all__ = ["DATA_SETS", "METRICS", "Cell", "available", "results_of", "shortened"]

METRICS = ("pd", "pe", "pv")
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "f-MNIST", "cifar10": "Cifar-10", "cifar100": "Cifar-100"}


@dataclass(frozen=True)
class Cell:
    """One network trained once on one data set, and the protocol its ranking is proven by."""

    data: str
    network: str
    recipe: Recipe
    protocol: Protocol

    @property
    def name(self) -> str:
        """Unique within an experiment, fit for a file name."""
        return f"{self.data}-{self.network}-{self.recipe.seed}"


def shortened(recipe: Recipe, small: int, large: int) -> Recipe:
    """Return a recipe of a few epochs, ``small`` for 28x28 images and ``large`` for 32x32 ones."""
    # Differs: batches of 128 instead of 512, and momentum for CIFAR's small rate, make up for steps not taken.
    if recipe.rate >= 0.1:
        return replace(recipe, epochs=small, batch=128)
    return replace(recipe, epochs=large, batch=128, momentum=0.9)


def available(folder: Path) -> list[str]:
    """Return the papers' data sets that are in a folder, in the papers' order."""
    if not folder.is_dir():
        raise InvalidData(f"no such folder: {folder}")
    found = [name for name in DATA_SETS if (folder / name).is_dir()]
    if not found:
        raise InvalidData(f"{folder} must hold folders named {', '.join(DATA_SETS)}, got none of them")
    return found


def results_of(
    cells: Sequence[Cell], data: Path, folder: Path, progress: Callable[[int, int], None] | None
) -> list[dict[str, Any]]:
    """Run every cell that is not finished yet; return the results of all, in order."""
    try:
        (folder / "cells").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OutputRefused(f"cannot write to {folder}: {problem.strerror}") from problem
    results = []
    for done, cell in enumerate(cells):
        if progress is not None:
            progress(done, len(cells))
        results.append(_result(cell, data, folder / "cells" / f"{cell.name}.json"))
    if progress is not None:
        progress(len(cells), len(cells))
    return results


def _result(cell: Cell, data: Path, path: Path) -> dict[str, Any]:
    plan = json.loads(json.dumps(asdict(cell)))
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text())
        if kept["plan"] == plan:
            return kept
    result = {"plan": plan, **_run(cell, data)}
    with whole_file(path) as part:
        part.write_text(json.dumps(result))
    return result


def _run(cell: Cell, data: Path) -> dict[str, Any]:
    training, test = _split(cell.data, data, "train"), _split(cell.data, data, "test")
    trained = train_model(cell.network, training, test=test, recipe=cell.recipe)
    proof = evaluate_ranking(model(trained.module), test, METRICS, cell.protocol)
    return {
        "train_count": len(training),
        "train_seconds": trained.history["seconds"],
        "test_accuracy": trained.history["test"]["accuracy"],
        "proof": proof.summary(),
        "eff": [round(float(value), 4) for value in proof.eff],
        "scores": {name: [float(value) for value in proof.scored.scores[name]] for name in METRICS},
    }


def _split(name: str, data: Path, split: str) -> Examples:
    return examples(f"{name}:{data / name}", split=split)
