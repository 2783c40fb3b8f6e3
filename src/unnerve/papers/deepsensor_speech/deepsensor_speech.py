"""Jin et al., "Excitement Surfeited Turns to Errors" (2023), on speaker recognition: Tables 6 and 7."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._outline import Outline
from unnerve.papers._parts import Part
from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.papers.deepsensor_speech.claims import claims_of
from unnerve.papers.deepsensor_speech.figures import figures_of
from unnerve.papers.deepsensor_speech.hunted import hunted
from unnerve.papers.deepsensor_speech.setup import CLIPS, begun
from unnerve.papers.deepsensor_speech.tables import tables_of
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.training.recipes import Recipe

__all__ = ["deepsensor_speech"]

_DEEP_SPEAKER = "deep_speaker:width=8,blocks=1,embedding=64,classes=60"
_RESNET34 = "resnet34:width=8,classes=60"
_TRAININGS = 3
_CLIPS_LEARNT = 1200
# At 20 dB noise alone breaks nearly every clip (a pilot of twelve clips): what is found there tells little of a search.
_QUIET, _LOUD = "snr:40", "snr:20"
# The paper stops after 5 epochs, and overfits for 80 in batches of 20; on all clips such small networks do not overfit.
_FAULTS = ("", "underfitted:epochs=4,batch=32", "overfitted:epochs=40,batch=20,inputs=400")


def deepsensor_speech(data: Path, folder: Path, *, full: bool = False, seed: int = 0) -> Outline[Hunted]:
    """Regenerate Tables 6 and 7: errors of networks that recognise speakers, trained soundly and incompletely.

    One training seed by itself; two more if they are asked for by their numbers (``only="1"``), and kept.

    Parameters
    ----------
    data : Path
        Folder with ``speech/audiomnist_16k.npz``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        All 600 test clips and 100 particles, instead of 60 clips and 10; the networks stay small.
    seed : int
        Decides noise and swarms; training seeds count up from it.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """
    if not data.is_dir():
        raise InvalidData(f"no such folder: {data}")
    if not (data / CLIPS).exists():
        raise InvalidData(f"{data} must hold {CLIPS}")
    inputs, particles = (600, 100) if full else (60, 10)
    setup = Setup(_DEEP_SPEAKER, CLIPS, _QUIET, inputs, particles, seed=seed)
    parts = [_part(*one, data, folder) for one in _plans(setup)]
    return Outline(folder, parts, lambda finished: _told(finished, parts, full))


def _plans(setup: Setup) -> list[tuple[FaultPlan, bool]]:
    """Return the plans, and whether each is run only if it is asked for."""
    plans = []
    for number in range(_TRAININGS):
        seed = setup.seed + number
        listening = replace(setup, recipe=Recipe(15, 32, 0.002, schedule="one_cycle", seed=seed))
        residual = replace(setup, network=_RESNET34, recipe=Recipe(30, 32, 0.002, schedule="one_cycle", seed=seed))
        some = [_plan(fault, listening) for fault in _FAULTS]
        if number == 0:
            some.append(_plan("", replace(listening, region=_LOUD)))
        # Three trainings of all would take the whole far beyond half an hour.
        plans += [(one, number > 0) for one in (*some, _plan("", residual))]
    return plans


def _plan(fault: str, setup: Setup) -> FaultPlan:
    # What a swarm of sensitive neurons costs, and so what all may spend.
    return FaultPlan("hunted", fault, _CLIPS_LEARNT, setup.particles * setup.iterations + 10, setup)


def _part(plan: FaultPlan, only_asked: bool, data: Path, folder: Path) -> Part[Hunted]:
    setup, recipe = plan.setup, plan.setup.recipe
    assert recipe is not None
    name = "-".join((setup.network.partition(":")[0], plan.kind, setup.region.replace(":", ""), str(recipe.seed)))
    tables = (7,) if plan.kind != "sound" else (6, 7) if _is_in_both(setup) else (6,)
    return Part(name, plan, Hunted, lambda: hunted(plan, begun(plan, data, folder)), tables, only_asked)


def _is_in_both(setup: Setup) -> bool:
    return setup.network == _DEEP_SPEAKER and setup.region == _QUIET


def _told(results: Sequence[Hunted], parts: Sequence[Part[Hunted]], full: bool) -> Reproduction:
    """Make tables, figures and claims of finished parts, and say which are not."""
    first, plans = results[0].plan, [one.plan for one in results]
    absent = [part.name for part in parts if part.plan not in plans]
    every = [part.plan for part in parts if isinstance(part.plan, FaultPlan)]
    planned = [(plan.setup.network, plan.kind, plan.setup.region) for plan in every]
    return Reproduction(
        paper="deepsensor_speech",
        size=f"{'all clips and particles' if full else 'shortened'}: networks of width 8 trained on "
        f"{first.images:,} clips of 60 speakers, {first.setup.inputs} seeds, {first.queries} queries per seed and "
        "method",
        claims=tuple(claims_of(results, planned)),
        tables=tuple(tables_of(results)),
        cells=tuple(results),
        skipped=(", ".join(absent),) if absent else (),
        figures=tuple(figures_of(results)),
    )
