"""Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation" (2020)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.papers._parts import results_of
from unnerve.papers._ranking.cells import DATA_SETS, Cell, available, parts_of, shortened
from unnerve.papers._ranking.tables import Group, correlation_table, f_measure_table, fit_table, grouped
from unnerve.studies.intervals import student
from unnerve.studies.ranking_trial import RankingTrial
from unnerve.studies.reproduction import Claim, Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["peacepact"]

NETWORK = "peacepact_net1"
PRINTED = {
    (NETWORK, "mnist"): {"pd": (0.49, 90.37, 0.97, 9.99, 908.52)},
    (NETWORK, "fashion-mnist"): {"pd": (0.47, 13.27, 0.98, 1.83, 488.45)},
    (NETWORK, "cifar10"): {"pd": (0.42, 20.76, 0.97, 1.94, 609.31)},
    (NETWORK, "cifar100"): {"pd": (0.43, 8.52, 0.97, 1.54, 287.74)},
}


def peacepact(
    data: Path,
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Regenerate Tables IV to VI and the observation that adversaries fall to the runner-up class.

    Parameters are those of :func:`unnerve.papers.nsatp.nsatp.nsatp`.

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """
    names = available(data)
    cells = [cell for name in names for cell in _cells(name, full, seed)]
    results = results_of(parts_of(cells, data), folder, progress)
    groups = grouped(results, [NETWORK])
    only = ("pd",)
    return Reproduction(
        paper="peacepact",
        size=f"{'the paper’s size' if full else 'shortened'}, {cells[0].trial.inputs:,} test inputs, "
        f"{cells[0].trial.tries} tries each, {cells[0].trial.repeats} repeats, {len(cells)} trained networks",
        claims=(_inverse(groups), _improvement(groups), _runner_up(groups)),
        tables=(
            fit_table("Table IV: fitted functions of Eff over normalised rank", groups, PRINTED, only),
            correlation_table("Table V: correlation between data points and fitted function", groups, PRINTED, only),
            f_measure_table(
                "Table VI: F-measure PEACEPACT / RAND / RAND of Eff > 0, in generations", groups, PRINTED, only
            ),
        ),
        cells=tuple(results),
        skipped=tuple(f"{DATA_SETS[name]}: not in the data folder" for name in DATA_SETS if name not in names),
    )


def _cells(name: str, full: bool, seed: int) -> list[Cell]:
    large = name.startswith("cifar")
    recipe = recipe_for(NETWORK, (3, 32, 32) if large else (1, 28, 28))
    if not full:
        recipe = shortened(recipe, 1, 5)
    trial = RankingTrial(inputs=1000, seed=seed)
    return [Cell(name, NETWORK, replace(recipe, seed=seed + place), trial) for place in range(3 if full else 2)]


def _inverse(groups: Sequence[Group]) -> Claim:
    fits = [group.figure("pd", "fit", "r") for group in groups]
    values = [fit.mean for fit in fits if fit is not None]
    slopes = [group.figure("pd", "fit", "b") for group in groups]
    falling = all(slope is not None and slope.mean > 0 for slope in slopes)
    return Claim(
        "Vulnerability falls with class distinguishability (PD), exponentially",
        "correlation 0.97 to 0.98",
        f"correlation {min(values):.2f} to {max(values):.2f} over 100 rank bins; falling on "
        f"{sum(slope is not None and slope.mean > 0 for slope in slopes)} of {len(groups)} data sets",
        student(values).ci95,
        falling and min(values) >= 0.95,
    )


def _improvement(groups: Sequence[Group]) -> Claim:
    savings = [group.figure("pd", "inc") for group in groups]
    values = [saving.mean for saving in savings if saving is not None]
    return Claim(
        "PEACEPACT needs fewer generations until the first adversary than RAND, on every data set",
        "Inc 98.90 % to 99.68 %",
        f"Inc {min(values):.1%} to {max(values):.1%}",
        student(values).ci95,
        all(value > 0 for value in values),
    )


def _runner_up(groups: Sequence[Group]) -> Claim:
    shares = [cell["proof"]["runner_up_share"] for group in groups for cell in group.cells]
    mean = student([share for share in shares if share is not None])
    return Claim(
        "Adversaries are mostly taken for the second most probable class",
        "mostly (one digit, ten repeats)",
        ", ".join(f"{share:.0%}" for share in shares if share is not None) + " of all adversaries",
        mean.ci95,
        all(share is not None and share > 0.5 for share in shares),
    )
