"""Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation" (2020)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.papers._outline import Outline
from unnerve.papers._ranking.cells import (
    Cell,
    available,
    cells_of,
    good_networks,
    not_available,
    shape_of,
    shortened,
    size_of,
)
from unnerve.papers._ranking.groups import grouped, scatters_of
from unnerve.papers._ranking.results import CellResult
from unnerve.papers._ranking.runs import parts_of
from unnerve.papers._ranking.tables import (
    Printed,
    PrintedRow,
    correlation_table,
    curve_table,
    f_measure_table,
    fit_table,
)
from unnerve.papers.peacepact.claims import claims_of
from unnerve.studies.rank.settings import RankingTrial
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["peacepact"]

NETWORK = "peacepact_net1"
GOOD = ("lenet5", "resnet20", "resnet32")
# The figures of Tables IV to VI. Of MNIST the text quotes 7.13 and 144.82, which NSATP prints for another network.
PRINTED: Printed = {
    (NETWORK, "mnist"): {"pd": PrintedRow(0.49, 90.37, 0.97, 9.99, 908.52)},
    (NETWORK, "fashion-mnist"): {"pd": PrintedRow(0.47, 13.27, 0.98, 1.83, 488.45)},
    (NETWORK, "cifar10"): {"pd": PrintedRow(0.42, 20.76, 0.97, 1.94, 609.31)},
    (NETWORK, "cifar100"): {"pd": PrintedRow(0.43, 8.52, 0.97, 1.54, 287.74)},
}


def peacepact(data: Path, folder: Path, *, full: bool = False, seed: int = 0) -> Outline[CellResult]:
    """Regenerate Tables IV to VI and the observation that adversaries fall to the runner-up class.

    Parameters are those of :func:`unnerve.papers.nsatp.nsatp.nsatp`.

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """
    names = available(data)
    cells = [cell for name in names for cell in _cells(data, name, full, seed)]
    parts = [*parts_of(good_networks(data, full, seed), data, ()), *parts_of(cells, data, (4, 5, 6))]
    size, skipped = size_of(cells, full), not_available(names)
    return Outline(folder, parts, lambda results: _told(results, size, skipped))


def _told(results: Sequence[CellResult], size: str, skipped: tuple[str, ...]) -> Reproduction:
    groups, good = grouped(results, [NETWORK]), grouped(results, GOOD)
    only = ("pd",)
    both = [*groups, *good]
    return Reproduction(
        paper="peacepact",
        size=size,
        claims=claims_of(groups, good) if groups else (),
        tables=(
            fit_table("Table IV: fitted functions of Eff over normalised rank", both, PRINTED, only),
            correlation_table("Table V: correlation between data points and fitted function", both, PRINTED, only),
            curve_table(both, only),
            f_measure_table(
                "Table VI: F-measure PEACEPACT / RAND / RAND of Eff > 0, in generations", both, PRINTED, only
            ),
        ),
        cells=tuple(results),
        skipped=skipped,
        scatters=scatters_of([cell for cell in results if cell.plan.network == NETWORK]),
    )


def _cells(folder: Path, name: str, full: bool, seed: int) -> list[Cell]:
    recipe = recipe_for(NETWORK, shape_of(name))
    # The paper itself ranks 1,000 candidates and draws its random order from the same ones. Shortened, each of the
    # five trained networks has 400 of its own, and fewer training images: all data sets fit into half an hour.
    images, inputs = (None, 1000) if full else (20_000, 400)
    if not full:
        recipe = shortened(recipe)
    trial = RankingTrial(inputs=inputs, repeats=10, seed=seed)
    recipes = [replace(recipe, seed=seed + place) for place in range(5)]
    return cells_of(folder, name, NETWORK, recipes, trial, images)
