"""Jin et al., "DeepSensor" with sensitive (2022) and with excitable neurons (2023): what both papers claim."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._parts import results_of
from unnerve.papers.deepsensor.claims import claims_of
from unnerve.papers.deepsensor.experiment import Setup
from unnerve.papers.deepsensor.experiments import EXPERIMENTS, part_of
from unnerve.papers.deepsensor.neuron_counts import counts_part, counts_table
from unnerve.papers.deepsensor.tables import (
    coverage_figure,
    coverage_table,
    error_table,
    fitness_figure,
    observation_figures,
    optimiser_table,
    overlap_table,
    plane_figure,
    sweep_figures,
    time_table,
)
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["deepsensor"]

_LENETS = ("lenet1", "lenet4", "lenet5")


def deepsensor(
    data: Path,
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Regenerate what both papers say of adversarial inputs: errors, coverage, sweeps, optimisers, overlap.

    Parameters
    ----------
    data : Path
        Folder with ``mnist`` and, for ResNet-20, ``cifar10`` and ``weights``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        1,000 seeds and 100 particles, instead of 100 (30 for ResNet-20, 50 for sweeps) and 50 (20).
    seed : int
        Decides noise and swarms; training seeds count up from it.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022; Jin et al.,
    "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons", 2023.
    """
    if not data.is_dir():
        raise InvalidData(f"no such folder: {data}")
    plans = _plans(full, seed)
    missing = {setup.network: lack for _, setup in plans if (lack := setup.missing(data)) is not None}
    parts = [part_of(what, setup, data, folder) for what, setup in plans if setup.network not in missing]
    if not parts:
        raise InvalidData(f"{data} must hold mnist, or cifar10 and weights, got neither")
    counts, *results = results_of([counts_part(), *parts], folder, progress)
    by_kind = {kind: [one for one in results if one["plan"]["experiment"] == kind] for kind in EXPERIMENTS}
    tables = (
        counts_table(counts),
        error_table(by_kind["errors"]),
        coverage_table(by_kind["coverage"]),
        optimiser_table(by_kind["optimisers"]),
        overlap_table(by_kind["overlap"]),
        time_table(by_kind["errors"]),
    )
    setups = {one["plan"]["network"]: one["plan"] for one in by_kind["errors"]}
    return Reproduction(
        paper="deepsensor",
        size=f"{'the papers’ size' if full else 'shortened'}: "
        + "; ".join(
            f"{name} {plan['inputs']} seeds, {plan['particles']} particles, {plan['region']}"
            for name, plan in setups.items()
        ),
        claims=tuple(claims_of(by_kind)),
        tables=tuple(table for table in tables if table.rows),
        cells=(counts, *results),
        skipped=tuple(f"{network}: {lack}" for network, lack in missing.items()),
        figures=(
            *(figure for one in by_kind["observation"] for figure in observation_figures(one)),
            *(plane_figure(one) for one in by_kind["observation"]),
            *(fitness_figure(one) for one in by_kind["fitness"]),
            *(coverage_figure(one) for one in by_kind["coverage"]),
            *(figure for one in by_kind["sweeps"] for figure in sweep_figures(one)),
        ),
    )


def _plans(full: bool, seed: int) -> list[tuple[str, Setup]]:
    """Return every experiment with its setup, in the order in which they are run."""
    size = (1000, 100) if full else (100, 50)
    lenets = {}
    for name in _LENETS:
        recipe = recipe_for(name, (1, 28, 28))
        recipes = [replace(recipe if full else replace(recipe, epochs=3), seed=seed + place) for place in range(3)]
        lenets[name] = [Setup(name, "mnist", "linf:0.2", *size, recipe=one, seed=seed) for one in recipes]
    resnet = Setup("resnet20", "cifar10", "linf:16/255", *((1000, 100) if full else (30, 20)), seed=seed)
    plans = [("errors", setup) for name in _LENETS for setup in lenets[name]]
    first = lenets["lenet5"][0]
    plans += [(kind, first) for kind in ("observation", "fitness", "coverage", "overlap")]
    plans += [(kind, first if full else replace(first, inputs=50)) for kind in ("optimisers", "sweeps")]
    return [*plans, *((kind, resnet) for kind in ("errors", "fitness", "coverage"))]
