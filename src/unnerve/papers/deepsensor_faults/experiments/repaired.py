"""Figures 4 to 6 of the second DeepSensor paper, 4 of the first: attacks and CLEVER after retraining on findings."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from unnerve.papers._json import LATER
from unnerve.papers._parts import digest
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.experiments.hunted import hunting, methods_of
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.harden.harden import harden
from unnerve.studies.harden.result import Compared, Hardening
from unnerve.studies.harden.settings import HardenSettings
from unnerve.studies.hunt.hunt import CampaignRequest, RunSettings, run_campaign
from unnerve.studies.intervals.interval import Interval

__all__ = ["ADVERSARIAL", "Mended", "RepairPlan", "Repaired", "repaired"]

ADVERSARIAL = "PGD-AT"
_ATTACKS = "pgd:steps=20,fgsm,deepfool,jsma"


@dataclass(frozen=True)
class RepairPlan:
    """How networks are repaired, and how the change is measured.

    Parameters
    ----------
    network : FaultPlan
        A sound network; its region is where findings may lie, its inputs are the seeds.
    attacked, near : str
        Regions in which both networks are attacked: the printed one, and a smaller one.
    inputs, clever_inputs : int
        Fresh inputs that are attacked, and that CLEVER is measured on.
    clever : str
    """

    network: FaultPlan
    attacked: str
    near: str
    inputs: int
    clever_inputs: int
    clever: str


@dataclass(frozen=True)
class Mended:
    """What one repair changed.

    Parameters
    ----------
    findings : int
        Trained on, beside as many seeds.
    figures : dict of str to Compared
        Before and after: ``clean``, ``clever``, each attack by its name in the printed region, ``near`` and its name in
        the smaller one.
    clever_scores : dict of str to (float, float)
        By input: CLEVER before and after, of those with both; empty in cells of before they were kept.
    """

    findings: int
    figures: Mapping[str, Compared]
    clever_scores: Mapping[str, tuple[float, float]] = field(default_factory=dict, metadata=LATER)


@dataclass(frozen=True)
class Repaired:
    """What each repair changed in one network.

    Parameters
    ----------
    plan : RepairPlan
    repairs : dict of str to Mended
        By whose findings were trained on; ``PGD-AT`` attacks anew in each step.
    """

    plan: RepairPlan
    repairs: Mapping[str, Mended]

    def spreads(self) -> dict[str, Interval]:
        """Return every change with its interval over inputs."""
        return {
            f"{name}, {figure}": one.change
            for name, mended in self.repairs.items()
            for figure, one in mended.figures.items()
        }


def repaired(plan: RepairPlan, experiment: Experiment) -> Repaired:
    """Retrain on each method's findings, as many as there are seeds if it found so many, and by PGD in each step."""
    network, folder = plan.network, experiment.folder / f"repairs-{digest(plan)}"
    methods = {**methods_of(network), "class_tour": "class_tour"}
    del methods["random noise"]
    count, found = network.setup.inputs, {}
    for name, method in methods.items():
        errors = _errors(network, experiment, method, folder / name / "found")
        if sum(sum(bool(seed.errors) for seed in one.seeds) for one in errors.tallies.values()) == 0:
            continue
        found[name] = _mended(plan, experiment, errors, f"retrain:findings={count},benign={count}", folder / name)
    # Its seeds are the benign inputs of the others; its findings are not looked at.
    found[ADVERSARIAL] = _mended(plan, experiment, errors, f"adversarial_training:benign={count}", folder / ADVERSARIAL)
    return Repaired(plan, found)


def _errors(network: FaultPlan, experiment: Experiment, method: str, out: Path) -> Campaign:
    wanted = hunting(network, experiment, [method])
    request = CampaignRequest([method], str(out), again=True)
    return run_campaign(experiment.model, experiment.split("test"), request, wanted, RunSettings(resume=True))


def _mended(plan: RepairPlan, experiment: Experiment, errors: Campaign, repair: str, folder: Path) -> Mended:
    # As in the papers nothing guards clean accuracy; what is lost of it stands beside the rest.
    settings = HardenSettings(
        repair=repair,
        attacks=_ATTACKS,
        region=plan.attacked,
        inputs=plan.inputs,
        clever=plan.clever,
        clever_inputs=plan.clever_inputs,
        tolerance=0.99,
        seed=plan.network.setup.seed,
    )
    near = replace(settings, attacks="pgd:steps=20", region=plan.near, clever_inputs=0)
    found = _hardened(experiment, errors, folder / "attacked", settings)
    # One network, measured in two regions: adversarial training in the smaller region would make another.
    (folder / "near").mkdir(parents=True, exist_ok=True)
    for name in ("weights.safetensors", "training.done"):
        shutil.copy2(folder / "attacked" / name, folder / "near" / name)
    closer = _hardened(experiment, errors, folder / "near", near)
    assert found.clever is not None
    figures = {"clean": found.accuracy, "clever": found.clever}
    figures |= {name.partition(":")[0]: one for name, one in found.attacks.items()}
    figures |= {f"near {name.partition(':')[0]}": one for name, one in closer.attacks.items()}
    figures["near robust"] = closer.robust_accuracy
    return Mended(found.training["findings"], figures, _clever_scores(folder / "attacked"))


def _clever_scores(folder: Path) -> dict[str, tuple[float, float]]:
    """Return by input what hardening measured of both networks, so that the interval can be made anew."""
    before, after = (
        json.loads((folder / f"clever-{when}.json").read_text())["by_input"] for when in ("before", "after")
    )
    return {name: (before[name], after[name]) for name in before if name in after}


def _hardened(experiment: Experiment, errors: Campaign, out: Path, settings: HardenSettings) -> Hardening:
    # All repairs start from one network and are measured on the same inputs: what it bears is measured once.
    kept = out.parent.parent / f"before-{out.name}"
    for name in ("before", "clever-before.json"):
        if (kept / name).exists() and not (out / name).exists():
            out.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (kept / name).is_dir() else shutil.copy2
            copy(kept / name, out / name)
    found = harden(experiment.model, experiment.split("test"), errors, out, resume=True, settings=settings)
    if not kept.exists():
        kept.mkdir(parents=True)
        shutil.copytree(out / "before", kept / "before")
        if settings.clever_inputs:
            shutil.copy2(out / "clever-before.json", kept / "clever-before.json")
    return found
