"""Which networks NSATP and PEACEPACT train, on which data, and how their rankings are put to the proof."""

from dataclasses import dataclass, replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.training.recipes import Recipe

__all__ = ["DATA_SETS", "METRICS", "Cell", "available", "not_available", "shape_of", "shortened", "size_of"]

METRICS = ("pd", "pe", "pv")
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "f-MNIST", "cifar10": "Cifar-10", "cifar100": "Cifar-100"}


@dataclass(frozen=True)
class Cell:
    """One network trained once on one data set, and the trial its ranking is proven by: a cell of the papers' tables.

    Parameters
    ----------
    data : str
        One of ``DATA_SETS``: a folder of the data folder.
    network : str
        Of the zoo.
    recipe : Recipe
        With the training seed.
    trial : RankingTrial
    """

    data: str
    network: str
    recipe: Recipe
    trial: RankingTrial

    @property
    def name(self) -> str:
        """Unique within an experiment, fit for a file name."""
        return f"{self.data}-{self.network}-{self.recipe.seed}"


def shape_of(data: str) -> tuple[int, int, int]:
    """Return the shape of a data set's images, by which the papers choose a recipe."""
    return (3, 32, 32) if data.startswith("cifar") else (1, 28, 28)


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


def not_available(found: list[str]) -> tuple[str, ...]:
    """Return a line on each data set that was not found."""
    return tuple(f"{title}: not in the data folder" for name, title in DATA_SETS.items() if name not in found)


def size_of(cells: list[Cell], full: bool) -> str:
    """Return in words how much is run; all cells have the same trial."""
    trial = cells[0].trial
    return (
        f"{'the paper’s size' if full else 'shortened'}, {trial.inputs:,} test inputs, {trial.tries} tries each, "
        f"{trial.repeats} repeats, {len(cells)} trained networks"
    )
