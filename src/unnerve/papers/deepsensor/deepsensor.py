"""Jin et al., "DeepSensor" with sensitive (2022) and with excitable neurons (2023): what both papers claim."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._outline import Outline
from unnerve.papers.deepsensor.claims import claims_of
from unnerve.papers.deepsensor.figures import (
    coverage_figure,
    fitness_figure,
    observation_figures,
    plane_figure,
    sweep_figures,
)
from unnerve.papers.deepsensor.guidance_tables import guidance_table
from unnerve.papers.deepsensor.neuron_counts import counts_part, counts_table
from unnerve.papers.deepsensor.parts import Results, part_of
from unnerve.papers.deepsensor.rival_tables import rival_figures, rival_time_table, rivals_table
from unnerve.papers.deepsensor.setup import Plan, Setup
from unnerve.papers.deepsensor.tables import (
    coverage_table,
    error_table,
    observation_table,
    optimiser_table,
    overlap_table,
    region_table,
    sweep_table,
    time_table,
)
from unnerve.studies.reproduction import Figure, Reproduction, Table
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["deepsensor"]

_LENETS = ("lenet1", "lenet4", "lenet5")


def deepsensor(data: Path, folder: Path, *, full: bool = False, seed: int = 0) -> Outline[object]:
    """Regenerate what both papers say of adversarial inputs: errors, coverage, sweeps, optimisers, overlap.

    Parameters
    ----------
    data : Path
        Folder with ``mnist`` and, for ResNet-20, ``cifar10`` and ``weights``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        1,000 seeds and 100 particles, instead of 30 to 100 (1,000 for coverage) and 20 to 50.
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
    missing = {plan.setup.network: lack for plan in plans if (lack := plan.setup.missing(data)) is not None}
    parts = [part_of(plan, data, folder) for plan in plans if plan.setup.network not in missing]
    if not parts:
        raise InvalidData(f"{data} must hold mnist, or cifar10 and weights, got neither")
    skipped = tuple(f"{network}: {lack}" for network, lack in missing.items())
    parts += [part_of(plan, data, folder) for plan in _untrained(seed)]
    return Outline(folder, [counts_part(), *parts], lambda finished: _told(finished, full, skipped))


def _told(finished: Sequence[object], full: bool, skipped: tuple[str, ...]) -> Reproduction:
    results = Results.of(finished)
    plans = [*(one.plan for one in results.times), *(one.plan for one in results.rivals)]
    plans += [one.plan for one in results.guidance]
    setups = {plan.setup.network: plan.setup for plan in [*plans, *(one.plan for one in results.errors)]}
    return Reproduction(
        paper="deepsensor",
        size=f"{'the papers’ size' if full else 'shortened'}: "
        + "; ".join(
            f"{name} {setup.inputs} seeds for each training seed, {setup.particles} particles, {setup.region}"
            for name, setup in setups.items()
        ),
        claims=tuple(claims_of(results)),
        tables=_tables(results),
        cells=tuple(finished),
        skipped=skipped,
        figures=_figures(results),
    )


def _tables(results: Results) -> tuple[Table, ...]:
    tables = (
        *(counts_table(one) for one in results.counts),
        error_table(results.errors),
        *(rivals_table(results.rivals, published) for published in (False, True)),
        region_table(results.regions),
        observation_table(results.observation),
        coverage_table(results.coverage),
        sweep_table(results.sweeps),
        optimiser_table(results.optimisers),
        overlap_table(results.overlap),
        time_table(results.errors),
        rival_time_table(results.times, results.untrained_times),
        guidance_table(results.guidance),
    )
    return tuple(table for table in tables if table.rows)


def _figures(results: Results) -> tuple[Figure, ...]:
    return (
        *(figure for one in results.observation for figure in observation_figures(one)),
        *(plane_figure(one) for one in results.observation),
        *(fitness_figure(one) for one in results.fitness),
        *(coverage_figure(one) for one in results.coverage),
        *(figure for one in results.sweeps for figure in sweep_figures(one)),
        *rival_figures(results.rival_inputs),
    )


def _plans(full: bool, seed: int) -> list[Plan]:
    """Return every experiment, in the order in which they are run."""
    lenets = [_lenet(name, full, seed + place, seed) for name in _LENETS for place in range(5)]
    resnet = Setup("resnet20", "cifar10", "linf:16/255", *((1000, 100) if full else (30, 20)), seed=seed)
    plans = [Plan("errors", setup) for setup in lenets]
    first = next(setup for setup in lenets if setup.network == "lenet5")
    most, some, few = (first if full else replace(first, inputs=inputs) for inputs in (1000, 100, 30))
    # Coverage of a few seeds hangs on single neurons: 1,000 of them in ten batches. Fewer where many swarms are
    # compared: eighteen searches, 28 values of settings, eighteen regions with every particle looked at.
    plans += [Plan("observation", some), Plan("fitness", some), Plan("overlap", some), Plan("coverage", most)]
    plans += [Plan("optimisers", some), Plan("sweeps", some), Plan("regions", few)]
    plans += [Plan("rivals", setup) for setup in lenets if setup.recipe is not None and setup.recipe.seed == seed]
    plans += [Plan("rival_inputs", some), Plan("times", some)]
    # Where DeepHunter may transform images: in a ball it finds next to nothing, with coverage or without.
    plans += [Plan("guidance", replace(first, region="lineage:metamorphic"))]
    return [*plans, *(Plan(kind, resnet) for kind in ("errors", "fitness", "coverage", "rivals"))]


def _untrained(seed: int) -> list[Plan]:
    """Return what is measured of networks without trained weights, and so without data: time."""
    sizes = {"vgg16": 10, "resnet50": 2}
    setups = [Setup(name, "", "linf:1", inputs, 100, seed=seed) for name, inputs in sizes.items()]
    return [Plan("untrained_times", setup) for setup in setups]


def _lenet(name: str, full: bool, training_seed: int, seed: int) -> Setup:
    recipe = recipe_for(name, (1, 28, 28))
    recipe = replace(recipe if full else replace(recipe, epochs=3), seed=training_seed)
    # The papers state no region. At linf 0.2 methods differ; how much hangs on the region is an experiment of its own.
    return Setup(name, "mnist", "linf:0.2", *((1000, 100) if full else (50, 50)), recipe=recipe, seed=seed)
