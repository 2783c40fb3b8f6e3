"""Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks" (2019)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from unnerve.papers._parts import results_of
from unnerve.papers._ranking.cells import Cell, available, not_available, shape_of, shortened, size_of
from unnerve.papers._ranking.groups import grouped, scatters_of
from unnerve.papers._ranking.runs import parts_of
from unnerve.papers._ranking.tables import correlation_table, eff_d_table, f_measure_table, fit_table
from unnerve.papers.nsatp.claims import claims_of, observation_claim
from unnerve.papers.nsatp.motivation import motivation
from unnerve.papers.nsatp.printed import PRINTED
from unnerve.studies.rank.settings import RankingTrial
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["nsatp"]

NETWORKS = ("net1", "net2")


def nsatp(
    data: Path,
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Regenerate Tables III to VI, the 24 scatter figures and the motivating observation.

    Parameters
    ----------
    data : Path
        Folder with ``mnist``, ``fashion-mnist``, ``cifar10`` and, if there, ``cifar100``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        The paper's recipes and the whole test set, instead of a few epochs and 1,000 test inputs.
    seed : int
        Decides candidates, perturbations and random orders; training seeds count up from it.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    names = available(data)
    cells = [cell for name in names for network in NETWORKS for cell in _cells(name, network, full, seed)]
    results = results_of(parts_of(cells, data), folder, progress)
    groups = grouped(results, NETWORKS)
    claims = claims_of(groups)
    if "mnist" in names:
        claims.append(observation_claim(motivation(data, seed)))
    return Reproduction(
        paper="nsatp",
        size=size_of(cells, full),
        claims=tuple(claims),
        tables=(
            fit_table("Table III: fitted functions of Eff over normalised rank", groups, PRINTED),
            correlation_table("Table IV: correlation between data and fitted function", groups, PRINTED),
            f_measure_table("Table V: F-measure ranked / random / random of Eff > 0, in generations", groups, PRINTED),
            eff_d_table("Table VI: absolute slope of ln Eff (Eff-D)", groups, PRINTED),
        ),
        cells=tuple(results),
        skipped=not_available(names),
        scatters=scatters_of(results),
    )


def _cells(name: str, network: str, full: bool, seed: int) -> list[Cell]:
    # Three training seeds give an interval; shortened, there is time for those of Net-2, the smaller network, only.
    seeds = 3 if full or network == "net2" else 1
    # Differs: the paper ranks all 10,000 test inputs, and compares its first 1,000 with 1,000 random ones. Ranked and
    # random order are of the same candidates here, as in PEACEPACT: else ranking would also choose among more.
    trial = RankingTrial(inputs=10_000 if full else 1000, repeats=10, seed=seed)
    recipe = recipe_for(network, shape_of(name))
    if not full:
        # What fits into half an hour for all: an epoch of Net-1, with its 5x5 convolutions, takes far longer.
        recipe = shortened(recipe, *{"net1": (1, 5), "net2": (2, 14)}[network])
    return [Cell(name, network, replace(recipe, seed=seed + place), trial) for place in range(seeds)]
