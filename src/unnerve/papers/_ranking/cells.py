"""The experiment that NSATP and PEACEPACT share: train a network, rank test inputs, prove the ranking."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.papers._parts import Part
from unnerve.studies.evaluate_ranking import evaluate_ranking
from unnerve.studies.ranking_trial import RankingTrial
from unnerve.studies.train import train_model
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.training.recipes import Recipe

__all__ = ["DATA_SETS", "METRICS", "Cell", "available", "parts_of", "shortened"]

METRICS = ("pd", "pe", "pv")
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "f-MNIST", "cifar10": "Cifar-10", "cifar100": "Cifar-100"}


@dataclass(frozen=True)
class Cell:
    """One network trained once on one data set, and the protocol its ranking is proven by."""

    data: str
    network: str
    recipe: Recipe
    trial: RankingTrial

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


def parts_of(cells: Sequence[Cell], data: Path) -> list[Part]:
    """Return the experiments that the cells stand for, on data sets in a folder."""
    return [Part(cell.name, asdict(cell), partial(_run, cell, data)) for cell in cells]


def _run(cell: Cell, data: Path) -> dict[str, Any]:
    training, test = _split(cell.data, data, "train"), _split(cell.data, data, "test")
    trained = train_model(cell.network, training, test=test, recipe=cell.recipe)
    proof = evaluate_ranking(model(trained.module), test, METRICS, cell.trial)
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
