"""Which networks NSATP and PEACEPACT train, on which data, and how their rankings are put to the proof."""

from dataclasses import dataclass, replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._networks import given
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.training.recipes import Recipe

__all__ = [
    "DATA_SETS",
    "METRICS",
    "SCORES",
    "Cell",
    "available",
    "cells_of",
    "good_networks",
    "not_available",
    "shape_of",
    "shortened",
    "size_of",
]

METRICS = ("pd", "pe", "pv")
SCORES = (*METRICS, "gini", "margin", "max_probability")
"""The papers' metrics, and the other scores of one softmax vector, which they must be compared with."""
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "f-MNIST", "cifar10": "Cifar-10", "cifar100": "Cifar-100"}


@dataclass(frozen=True)
class Cell:
    """One network on one data set, and the trial its ranking is proven by: a cell of the papers' tables.

    Parameters
    ----------
    data : str
        One of ``DATA_SETS``: a folder of the data folder.
    network : str
        Of the zoo.
    recipe : Recipe or None
        With the training seed; None of a network whose weights are at hand.
    trial : RankingTrial
    images : int or None
        Training images, the first so many; None for all.
    """

    data: str
    network: str
    recipe: Recipe | None
    trial: RankingTrial
    images: int | None = None

    @property
    def name(self) -> str:
        """Unique within an experiment, fit for a file name."""
        return f"{self.data}-{self.network}-{'given' if self.recipe is None else self.recipe.seed}"


def cells_of(
    folder: Path, data: str, network: str, recipes: list[Recipe], trial: RankingTrial, images: int | None = None
) -> list[Cell]:
    """Return a cell for each recipe; one with the weights of the data folder, if it has some."""
    if given(folder, network, data):
        return [Cell(data, network, None, trial)]
    # Each trained network meets candidates of its own, as a reader who trains it would: intervals resample both.
    return [
        Cell(data, network, recipe, replace(trial, seed=trial.seed + place), images)
        for place, recipe in enumerate(recipes)
    ]


def good_networks(folder: Path, full: bool, seed: int) -> list[Cell]:
    """Return good networks that are not the papers': what holds of theirs should hold of these too."""
    lenet = Cell("mnist", "lenet5", None, RankingTrial(inputs=10_000, repeats=10, seed=seed))
    small = RankingTrial(inputs=10_000 if full else 1000, repeats=10, seed=seed)
    wanted = [lenet, *(Cell("cifar10", name, None, small) for name in ("resnet20", "resnet32"))]
    return [
        cell
        for cell in wanted
        if (folder / cell.data).is_dir() and (cell.network == "lenet5" or given(folder, cell.network, cell.data))
    ]


def shape_of(data: str) -> tuple[int, int, int]:
    """Return the shape of a data set's images, by which the papers choose a recipe."""
    return (3, 32, 32) if data.startswith("cifar") else (1, 28, 28)


def shortened(recipe: Recipe) -> Recipe:
    """Return a recipe of one epoch, with the same initial weights and order of examples."""
    # Differs: the paper's plain SGD needs its 20 or 60 epochs. One cycle with momentum and a batch norm that is folded
    # away afterwards brings the same networks as far in one, which leaves time for five of them.
    return Recipe(1, 128, 0.05, "sgd", 0.9, 5e-4, "one_cycle", batch_norm=True, seed=recipe.seed)


def available(folder: Path) -> list[str]:
    """Return the papers' data sets that are in a folder, in the papers' order."""
    if not folder.is_dir():
        raise InvalidData(f"no such folder: {folder}")
    found = [name for name in DATA_SETS if (folder / name).is_dir()]
    if not found:
        raise InvalidData(f"{folder} must hold folders named {', '.join(DATA_SETS)}, got none of them")
    return found


def not_available(found: list[str]) -> tuple[str, ...]:
    """Return a line on each data set that was not found."""
    return tuple(f"{title}: not in the data folder" for name, title in DATA_SETS.items() if name not in found)


def size_of(cells: list[Cell], full: bool) -> str:
    """Return in words how much is run."""
    trained = [cell for cell in cells if cell.recipe is not None]
    trial = cells[0].trial
    inputs = _between({cell.trial.inputs for cell in cells})
    known = {cell.images for cell in trained if cell.images is not None}
    limit = f" (some with the first {_between(known)} images)" if known else ""
    return (
        f"{'the paper’s size' if full else 'shortened'}, {inputs} test inputs for each network, {trial.tries} tries "
        f"each, {trial.repeats} repeats, {len(trained)} trained networks{limit}, {len(cells) - len(trained)} with "
        "weights at hand"
    )


def _between(numbers: set[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
