"""The experiment behind KuK's Tables 3 and 4: attack a network, then map what was found."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unnerve.core.examples import Examples
from unnerve.core.model import Classifier
from unnerve.papers._networks import lacking, network
from unnerve.papers._parts import Part, digest
from unnerve.studies.calibrated_rate import calibrated_rate
from unnerve.studies.hunt import HuntSettings, RunSettings, run_campaign
from unnerve.studies.map import uncertainty_map
from unnerve.studies.uncertainty import Group, Thresholds, UncertaintyMap
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.training.recipes import Recipe

__all__ = ["EXTREMES", "Trial", "part_of"]

EXTREMES = ("smallest", "strongest")
_POINTS = 200


@dataclass(frozen=True)
class Trial:
    """One network, its data, and how it is attacked and mapped.

    Parameters
    ----------
    network : str
        ``lenet5``, ``nin``, ``resnet20`` or ``mobilenet``.
    data : str
        ``mnist``, ``cifar10`` or ``imagenet-samples``: a folder of the data folder.
    draws : int
        T.
    vro : float
        Of benign inputs, by Table 4: what the dropout rate is chosen by.
    campaigns : tuple of (region, attacks)
    inputs : int
        Seeds.
    seed : int
    recipe : Recipe or None
        For a network that must be trained first.
    """

    network: str
    data: str
    draws: int
    vro: float
    campaigns: tuple[tuple[str, tuple[str, ...]], ...]
    inputs: int
    seed: int = 0
    recipe: Recipe | None = None

    def missing(self, data: Path) -> str | None:
        """Return what the data folder lacks for this trial, or None."""
        return lacking(data, self.data, self.network)


def part_of(trial: Trial, data: Path, folder: Path) -> Part:
    """Return the experiment as a part; its campaigns stay in ``folder``, where they can be reported and resumed."""
    return Part(f"{trial.network}-{trial.data}", asdict(trial), lambda: _run(trial, data, folder))


def _run(trial: Trial, data: Path, folder: Path) -> dict[str, Any]:
    test = _examples(trial, data, "test")
    subject, accuracy = _subject(trial, data, folder, test)
    rate = calibrated_rate(subject, test, trial.vro, inputs=50, draws=20, seed=trial.seed)
    dropping = with_dropout(subject, rate)
    maps = []
    for region, attacks in trial.campaigns:
        out = folder / "campaigns" / f"{trial.network}-{region.split(':')[0]}-{digest(asdict(trial))}"
        hunting = HuntSettings(region=region, inputs=trial.inputs, seed=trial.seed, shard=10)
        campaign = run_campaign(subject, test, list(attacks), str(out), hunting, RunSettings(resume=True))
        maps.append(uncertainty_map(dropping, campaign, draws=trial.draws, seed=trial.seed))
    return {"accuracy": accuracy, "rate": rate, "dropout": maps[0].dropout, **_figures(maps, trial)}


def _examples(trial: Trial, data: Path, split: str) -> Examples:
    if trial.data == "imagenet-samples":
        return examples(f"imagefolder:{data / trial.data},size=128,grey=false")
    return examples(f"{trial.data}:{data / trial.data}", split=split)


def _subject(trial: Trial, data: Path, folder: Path, test: Examples) -> tuple[Classifier, float]:
    """Return the model, and its accuracy on the first 1,000 test inputs."""
    subject = network(trial.network, trial.recipe, data, folder, lambda: _examples(trial, data, "train"))
    batch = test.batch(range(min(1000, len(test))))
    return subject, float(np.mean(subject.observe(batch.inputs).predicted.numpy() == np.asarray(batch.labels)))


def _figures(maps: list[UncertaintyMap], trial: Trial) -> dict[str, Any]:
    benign = maps[0].groups["benign"]
    found: dict[str, dict[str, Any]] = {}
    chosen: dict[str, list[Group]] = {extreme: [] for extreme in EXTREMES}
    for one in maps:
        areas = one.auc()
        for label in one.campaign.plan.labels:
            for extreme in EXTREMES:
                name = f"{label}, {extreme}" if f"{label}, {extreme}" in one.groups else label
                group = one.groups[name]
                if len(group):
                    chosen[extreme].append(group)
                    auc = {metric: [area.mean, *area.ci95] for metric, area in areas[name].items()}
                    found.setdefault(label, {})[extreme] = {**_told(group, trial), "auc": auc}
    correlation = {extreme: _correlation([benign, *groups]) for extreme, groups in chosen.items()}
    return {"benign": _told(benign, trial), "attacks": found, "correlation": correlation, "count": len(benign)}


def _told(group: Group, trial: Trial) -> dict[str, Any]:
    """Return what is said of a group, with a few of its inputs for a figure."""
    names = Thresholds().patterns(group.figures["pcs"], group.figures["vro"])
    by_draws = {**group.uncertainty_by_draws, trial.draws: group.figures["vro"]}
    return {
        "count": len(group),
        **{m: [float(group.figures[m].mean()), float(group.figures[m].var())] for m in ("pcs", "vro")},
        "patterns": {name: float((names == name).mean()) for name in ("LL", "LH", "HL", "HH")},
        "vro_by_draws": {str(draws): float(values.mean()) for draws, values in by_draws.items()},
        "points": {m: group.figures[m][:_POINTS].round(4).tolist() for m in ("pcs", "vro")},
    }


def _correlation(groups: list[Group]) -> float:
    pcs, vro = (np.concatenate([group.figures[metric] for group in groups]) for metric in ("pcs", "vro"))
    return float(np.corrcoef(pcs, vro)[0, 1])
