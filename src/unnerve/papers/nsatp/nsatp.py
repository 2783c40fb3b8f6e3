"""Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks" (2019)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.papers._outline import Outline
from unnerve.papers._parts import Part
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
    apfd_table,
    correlation_table,
    curve_table,
    eff_d_table,
    f_measure_table,
    fit_table,
)
from unnerve.papers.nsatp.claims import claims_of, observation_claim, tie_claim
from unnerve.papers.nsatp.evolution import (
    Evolution,
    EvolutionPlan,
    evolution_claims,
    evolution_part,
    evolution_table,
)
from unnerve.papers.nsatp.motivation import Motivation, motivation_part
from unnerve.papers.nsatp.printed import PRINTED
from unnerve.studies.rank.settings import RankingTrial
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["nsatp"]

NETWORKS = ("net1", "net2")
GOOD = ("lenet5", "resnet20", "resnet32")
_TABLES = (3, 4, 5, 6)
# Training images (None for all) and candidates of each network, so that all fits into half an hour: Net-1, with its
# 5x5 convolutions, takes four times as long for an image as Net-2.
_SHORT: dict[str, tuple[int | None, int]] = {"net1": (24_000, 200), "net2": (None, 1000)}


def nsatp(data: Path, folder: Path, *, full: bool = False, seed: int = 0) -> Outline[object]:
    """Regenerate Tables III to VI, the 24 scatter figures and the motivating observation.

    Parameters
    ----------
    data : Path
        Folder with ``mnist``, ``fashion-mnist``, ``cifar10`` and, if there, ``cifar100`` and ``weights``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        The paper's recipes and the whole test set, instead of one epoch and 200 to 1,000 test inputs.
    seed : int
        Decides candidates, perturbations and random orders; training seeds count up from it.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    names = available(data)
    cells = [cell for name in names for network in NETWORKS for cell in _cells(data, name, network, full, seed)]
    good = good_networks(data, full, seed)
    parts: list[Part[object]] = [*parts_of(good, data, ()), *parts_of(cells, data, _TABLES)]
    parts += [evolution_part(plan, data, folder) for plan in _evolutions(good)]
    if "mnist" in names:
        parts.append(motivation_part(data, seed))
    size, skipped = size_of(cells, full), not_available(names)
    return Outline(folder, parts, lambda results: _told(results, size, skipped))


def _told(results: Sequence[object], size: str, skipped: tuple[str, ...]) -> Reproduction:
    cells = [one for one in results if isinstance(one, CellResult)]
    groups, good = grouped(cells, NETWORKS), grouped(cells, GOOD)
    evolved = [one for one in results if isinstance(one, Evolution)]
    tie = tie_claim([group for group in good if group.counted])
    tables = (
        fit_table("Table III: fitted functions of Eff over normalised rank", [*groups, *good], PRINTED),
        correlation_table("Table IV: correlation between data and fitted function", [*groups, *good], PRINTED),
        curve_table([*groups, *good]),
        f_measure_table("Table V: F-measure ranked / random / random of Eff > 0, in generations", groups, PRINTED),
        eff_d_table("Table VI: absolute slope of ln Eff (Eff-D)", groups, PRINTED),
        apfd_table([*good, *groups]),
        evolution_table(evolved),
    )
    return Reproduction(
        paper="nsatp",
        size=size,
        claims=(
            *(claims_of(groups) if groups else ()),
            *(observation_claim(one) for one in results if isinstance(one, Motivation)),
            *evolution_claims(evolved),
            *([tie] if tie is not None else []),
        ),
        tables=tuple(table for table in tables if table.rows),
        cells=tuple(results),
        skipped=skipped,
        scatters=scatters_of([cell for cell in cells if cell.plan.network in NETWORKS]),
    )


def _cells(folder: Path, name: str, network: str, full: bool, seed: int) -> list[Cell]:
    recipe = recipe_for(network, shape_of(name))
    # Differs: the paper ranks all 10,000 test inputs, and compares its first 1,000 with 1,000 random ones. Ranked and
    # random order are of the same candidates here, as in PEACEPACT: else ranking would also choose among more.
    images, inputs = (None, 10_000) if full else _SHORT[network]
    if not full:
        recipe = shortened(recipe)
    # Five training seeds give an interval. Net-1 stays too weak to count on CIFAR after so few images: one is shown.
    seeds = 1 if not full and network == "net1" and name.startswith("cifar") else 5
    trial = RankingTrial(inputs=inputs, repeats=10, seed=seed)
    recipes = [replace(recipe, seed=seed + place) for place in range(seeds)]
    return cells_of(folder, name, network, recipes, trial, images)


def _evolutions(good: Sequence[Cell]) -> list[EvolutionPlan]:
    # The paper states no budget; its 100 tries per example, and ten times as many.
    sizes = {"lenet5": 500, "resnet20": 100}
    return [
        EvolutionPlan(cell.network, cell.data, sizes[cell.network], population, iterations, cell.trial.seed)
        for cell in good
        if cell.network in sizes
        for population, iterations in ((20, 5), (50, 20))
    ]
