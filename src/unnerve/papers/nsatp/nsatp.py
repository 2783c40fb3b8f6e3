"""Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks" (2019)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.papers._parts import results_of
from unnerve.papers._ranking.cells import DATA_SETS, METRICS, Cell, available, parts_of, shortened
from unnerve.papers._ranking.tables import (
    Group,
    correlation_table,
    eff_d_table,
    f_measure_table,
    fit_table,
    grouped,
    marks_of,
)
from unnerve.papers.nsatp.motivation import Motivation, motivation
from unnerve.studies.intervals import student
from unnerve.studies.ranking_trial import RankingTrial
from unnerve.studies.reproduction import Claim, Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["nsatp"]

NETWORKS = ("net1", "net2")

# For PD, PE and PV: a and b of Table III, r of Table IV, F-measures ranked and random of Table V. The headers of
# Tables III and IV are read as swapped: the steep curves belong to the network that random search finds hard, as in
# Tables V and VI.
_ROWS = {
    ("net1", "mnist"): (
        (0.27, 3.87, 0.99, 7.13, 144.82),
        (0.27, 3.81, 0.99, 5.47, 136.68),
        (0.27, 3.86, 0.99, 5.39, 135.00),
    ),
    ("net1", "fashion-mnist"): (
        (0.39, 3.18, 0.98, 4.91, 92.48),
        (0.38, 3.11, 0.98, 4.92, 93.27),
        (0.39, 3.16, 0.98, 4.87, 97.49),
    ),
    ("net1", "cifar10"): (
        (0.14, 3.87, 0.98, 20.43, 300.14),
        (0.14, 4.00, 0.97, 14.98, 323.44),
        (0.14, 3.95, 0.98, 15.01, 308.96),
    ),
    ("net1", "cifar100"): (
        (0.23, 1.56, 0.97, 8.30, 40.85),
        (0.24, 1.64, 0.97, 5.52, 42.32),
        (0.24, 1.61, 0.98, 5.30, 38.47),
    ),
    ("net2", "mnist"): (
        (0.49, 90.37, 0.97, 9.99, 908.52),
        (0.43, 74.28, 0.97, 10.51, 918.60),
        (0.47, 84.28, 0.97, 10.03, 900.90),
    ),
    ("net2", "fashion-mnist"): (
        (0.47, 13.27, 0.98, 1.83, 488.45),
        (0.42, 10.80, 0.98, 2.18, 490.23),
        (0.45, 12.31, 0.98, 1.94, 503.65),
    ),
    ("net2", "cifar10"): (
        (0.42, 20.76, 0.97, 1.94, 609.31),
        (0.22, 8.88, 0.97, 6.89, 606.19),
        (0.27, 11.46, 0.97, 4.26, 626.15),
    ),
    ("net2", "cifar100"): (
        (0.43, 8.52, 0.97, 1.54, 287.74),
        (0.31, 5.42, 0.97, 2.04, 287.07),
        (0.36, 6.53, 0.96, 1.58, 296.62),
    ),
}
PRINTED = {place: dict(zip(METRICS, rows, strict=True)) for place, rows in _ROWS.items()}


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
    claims = [_decay(groups), _f_measure(groups), _best(groups)]
    if "mnist" in names:
        claims.append(_observation(motivation(data, seed)))
    return Reproduction(
        paper="nsatp",
        size=f"{'the paper’s size' if full else 'shortened'}, {_size(cells[0])}, {len(cells)} trained networks",
        claims=tuple(claims),
        tables=(
            fit_table("Table III: fitted functions of Eff over normalised rank", groups, PRINTED),
            correlation_table("Table IV: correlation between data and fitted function", groups, PRINTED),
            f_measure_table("Table V: F-measure ranked / random / random of Eff > 0, in generations", groups, PRINTED),
            eff_d_table("Table VI: absolute slope of ln Eff (Eff-D)", groups, PRINTED),
        ),
        cells=tuple(results),
        skipped=tuple(f"{DATA_SETS[name]}: not in the data folder" for name in DATA_SETS if name not in names),
    )


def _cells(name: str, network: str, full: bool, seed: int) -> list[Cell]:
    seeds = 3 if full or network == "net2" else 1
    trial = RankingTrial(inputs=10_000 if full else 1000, seed=seed)
    recipe = recipe_for(network, (3, 32, 32) if name.startswith("cifar") else (1, 28, 28))
    if not full:
        recipe = shortened(recipe, *{"net1": (1, 5), "net2": (2, 14)}[network])
    return [Cell(name, network, replace(recipe, seed=seed + place), trial) for place in range(seeds)]


def _size(cell: Cell) -> str:
    return f"{cell.trial.inputs:,} test inputs, {cell.trial.tries} tries each, {cell.trial.repeats} repeats"


def _decay(groups: Sequence[Group]) -> Claim:
    fits = [group.figure(metric, "fit", "r") for group in groups for metric in METRICS]
    values = [fit.mean for fit in fits if fit is not None]
    return Claim(
        "Eff falls exponentially along the order, with a correlation of at least 0.95",
        "0.96 to 0.99",
        f"{min(values):.2f} to {max(values):.2f} over 100 rank bins; {sum(v >= 0.95 for v in values)} of {len(values)}",
        student(values).ci95,
        all(value >= 0.95 for value in values),
    )


def _f_measure(groups: Sequence[Group]) -> Claim:
    savings = [group.figure(metric, "inc") for group in groups for metric in METRICS]
    values = [saving.mean for saving in savings if saving is not None]
    return Claim(
        "Ranked inputs need fewer tries until the first adversary than random ones, on every network and data set",
        "Inc 79.67 % to 99.68 %",
        f"Inc {min(values):.1%} to {max(values):.1%}; positive in {sum(v > 0 for v in values)} of {len(values)}",
        student(values).ci95,
        all(value > 0 for value in values),
    )


def _best(groups: Sequence[Group]) -> Claim:
    best = [metric for group in groups for metric, mark in marks_of(group).items() if mark == "Best"]
    share = best.count("pd") / max(1, len(best))
    return Claim(
        "PD is the best of the three metrics by Eff-D",
        "best on 6 of 8",
        ", ".join(f"{metric.upper()} best on {best.count(metric)}" for metric in METRICS) + f" of {len(groups)}",
        None,
        share > 0.5,
    )


def _observation(seen: Motivation) -> Claim:
    pairs = ", ".join(f"{unsure}:{sure}" for unsure, sure in seen.counts)
    return Claim(
        "Of 50 inverted patches, those on an unsure digit are never fewer times effective than those on a sure one",
        "8 against 5; never fewer in ten repeats",
        f"the papers' pair {pairs}; over 100 such pairs never fewer in {seen.never_fewer:.0%}, "
        f"more in {seen.more:.0%}, fewer in {seen.fewer:.0%} of the repeats",
        None,
        all(unsure >= sure for unsure, sure in seen.counts) and seen.more > seen.fewer,
    )
