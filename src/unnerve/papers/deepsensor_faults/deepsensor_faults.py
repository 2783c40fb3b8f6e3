"""Jin et al., "DeepSensor" (2022, 2023): what both papers claim of faulty training and of repair."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._outline import Outline
from unnerve.papers._parts import Part
from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.claims import claims_of
from unnerve.papers.deepsensor_faults.experiments.repaired import RepairPlan
from unnerve.papers.deepsensor_faults.figures import figures_of
from unnerve.papers.deepsensor_faults.parts import Results, part_of, repair_part
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.papers.deepsensor_faults.tables import tables_of
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import Recipe

__all__ = ["deepsensor_faults"]

_ALPHAS = (0.1, 0.2, 0.3)
# Of training seeds 0, 1 and 2; the papers pollute '1' of MNIST and 'bird' (2) of CIFAR-10.
_CLASSES = (1, 4, 7)


def deepsensor_faults(data: Path, folder: Path, *, full: bool = False, seed: int = 0) -> Outline[object]:
    """Regenerate what both papers say of polluted data, incomplete training and retraining.

    Parameters
    ----------
    data : Path
        Folder with ``mnist`` and, for VGG16 of a quarter of the width, ``cifar10``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        1,000 seeds and 500 findings, instead of 30 to 120, and all training images of CIFAR-10 too.
    seed : int
        Decides noise and swarms; training seeds count up from it.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022; Jin et al.,
    "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons", 2023.
    """
    if not data.is_dir():
        raise InvalidData(f"no such folder: {data}")
    groups = {"mnist": _lenet_parts, "cifar10": _vgg_parts}
    parts = [part for name, some in groups.items() if (data / name).exists() for part in some(data, folder, full, seed)]
    if not parts:
        raise InvalidData(f"{data} must hold mnist or cifar10, got neither")
    skipped = tuple(f"{name} not in the data folder" for name in groups if not (data / name).exists())
    return Outline(folder, parts, lambda finished: told(finished, full, skipped))


def told(finished: Sequence[object], full: bool = False, skipped: tuple[str, ...] = ()) -> Reproduction:
    """Make tables, figures and claims of finished parts."""
    results = Results.of(finished)
    sizes: dict[str, tuple[FaultPlan, set[int]]] = {}
    for one in results.hunted:
        setup, recipe = one.plan.setup, one.plan.setup.recipe
        assert recipe is not None
        sizes.setdefault(setup.network, (one.plan, set()))[1].add(recipe.seed)
    return Reproduction(
        paper="deepsensor_faults",
        size=f"{'the papers’ size' if full else 'shortened'}: "
        + "; ".join(
            f"{name} trained {len(seeds)} time{'s'[: len(seeds) > 1]} each way on {plan.images:,} images, "
            f"{plan.setup.inputs} seeds, {plan.queries} queries per seed and method"
            for name, (plan, seeds) in sizes.items()
        ),
        claims=tuple(claims_of(results)),
        tables=tuple(tables_of(results)),
        cells=tuple(finished),
        skipped=skipped,
        figures=tuple(figures_of(results)),
    )


def _lenet_parts(data: Path, folder: Path, full: bool, seed: int) -> list[Part[object]]:
    # All images also in the short run: with 20,000 a network that should be sound is right on 94 % of the digits only.
    images, (inputs, particles) = 60_000, (1000, 100) if full else (100, 10)
    setup = Setup("lenet5", "mnist", "linf:0.2", inputs, particles, seed=seed)
    usual = Recipe(epochs=10 if full else 3)
    # The papers overfit on all images, with which a LeNet hardly overfits.
    faults = ["", "underfitted", "overfitted" if full else "overfitted:inputs=1000"]
    parts: list[Part[object]] = []
    sound = _plan("hunted", "", images, replace(setup, recipe=replace(usual, seed=seed)))
    for place, polluted in enumerate(_CLASSES):
        own = replace(setup, recipe=replace(usual, seed=seed + place))
        some = [*faults, *(f"polluted:alpha={alpha},class={polluted},seed={place}" for alpha in _ALPHAS)]
        plans = [_plan("hunted", fault, images, own) for fault in some]
        # In the larger region everything reaches the polluted class, noise too.
        plans += [replace(one, setup=replace(own, region="linf:0.05")) for one in plans[3:]]
        parts += [part_of(one, data, folder) for one in plans]
    for place in range(len(_CLASSES)):
        own = replace(setup, recipe=replace(usual, seed=seed + place), region="linf:0.3", inputs=500 if full else 120)
        repair = RepairPlan(
            _plan("repaired", "", images, own),
            "linf:0.3",
            "linf:0.1",
            1000 if full else 100,
            100 if full else 20,
            "clever:batches=500,samples=1024" if full else "clever:batches=10,samples=64",
        )
        parts.append(repair_part(repair, data, folder))
    polluted_setup = replace(sound.setup, region="linf:0.05")
    swept = [
        _plan("swept", f"polluted:alpha=0.1,class={_CLASSES[0]},seed=0", images, polluted_setup),
        _plan("swept", faults[2], images, sound.setup),
        _plan("started", "", images, replace(sound.setup, inputs=1000 if full else 100)),
    ]
    return [*parts, *(part_of(one, data, folder) for one in swept)]


def _vgg_parts(data: Path, folder: Path, full: bool, seed: int) -> list[Part[object]]:
    images, inputs, particles = (50_000, 1000, 100) if full else (12_000, 30, 10)
    usual = Recipe(
        30 if full else 8,
        128,
        0.05,
        "sgd",
        0.9,
        5e-4,
        "one_cycle",
        flip=True,
        shift=4,
        precision="bfloat16",
        seed=seed,
    )
    setup = Setup("vgg16:width=0.25", "cifar10", "linf:4/255", inputs, particles, recipe=usual, seed=seed)
    # The papers stop after 5 epochs of 120, and overfit for 120.
    faults = [
        "",
        f"underfitted:epochs={2 if full else 1},batch=128",
        f"overfitted:epochs={60 if full else 15},batch=64,inputs={10_000 if full else 3000}",
        *(f"polluted:alpha={alpha},class=2,smallest=3,largest=8" for alpha in _ALPHAS),
    ]
    plans = [_plan("hunted", fault, images, setup) for fault in faults]
    plans += [_plan("epsilon", "", images, setup), _plan("overlap", "", images, setup)]
    repair = RepairPlan(
        _plan("repaired", "", images, replace(setup, region="linf:16/255", inputs=500 if full else 60)),
        "linf:16/255",
        "linf:2/255",
        1000 if full else 40,
        100 if full else 6,
        "clever:batches=500,samples=1024" if full else "clever:batches=10,samples=32",
    )
    return [*(part_of(one, data, folder) for one in plans), repair_part(repair, data, folder)]


def _plan(experiment: str, fault: str, images: int, setup: Setup) -> FaultPlan:
    # What a swarm of sensitive neurons costs, and so what all may spend.
    return FaultPlan(experiment, fault, images, setup.particles * setup.iterations + 10, setup)
