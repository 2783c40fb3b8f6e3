"""The experiment behind KuK's Tables 3 and 4: attack a network, then map what was found."""

from pathlib import Path

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.patterns import PATTERNS, Thresholds
from unnerve.papers._networks import network
from unnerve.papers._parts import Part, digest
from unnerve.papers.kuk.results import Area, AttackFigures, GroupFigures, Moments, Points, TrialResult
from unnerve.papers.kuk.trial import EXTREMES, Trial
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.map.map import uncertainty_map
from unnerve.studies.map.result import Group, UncertaintyMap
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout

__all__ = ["part_of"]

_POINTS = 200  # of a group: enough for a figure to show where it lies, few enough for a page of thirty groups


def part_of(trial: Trial, data: Path, folder: Path) -> Part[TrialResult]:
    """Return the experiment as a part; its campaigns stay in ``folder``, where they can be reported and resumed."""
    return Part(f"{trial.network}-{trial.data}", trial, TrialResult, lambda: _run(trial, data, folder))


def _run(trial: Trial, data: Path, folder: Path) -> TrialResult:
    test = _examples(trial, data, "test")
    subject, accuracy = _subject(trial, data, folder, test)
    # The paper states no rate; the VRO that it prints of benign inputs is all there is to choose one by.
    rate = calibrated_rate(subject, test, trial.vro, inputs=50, draws=20, seed=trial.seed)
    dropping = with_dropout(subject, rate)
    maps = []
    for region, attacks in trial.campaigns:
        out = folder / "campaigns" / f"{trial.network}-{region.split(':')[0]}-{digest(trial)}"
        hunting = HuntSettings(region=region, inputs=trial.inputs, seed=trial.seed, shard=10)
        request = CampaignRequest(list(attacks), str(out))
        campaign = run_campaign(subject, test, request, hunting, RunSettings(resume=True))
        maps.append(uncertainty_map(dropping, campaign, draws=trial.draws, seed=trial.seed))
    benign = maps[0].groups["benign"]
    found = {extreme: _found(maps, extreme) for extreme in EXTREMES}
    return TrialResult(
        plan=trial,
        accuracy=accuracy,
        rate=rate,
        dropout=maps[0].dropout,
        benign=_figures(benign, trial.draws),
        attacks=_by_attack(found, trial.draws),
        correlation={
            extreme: _correlation([benign, *(group for group, _ in by_attack.values())])
            for extreme, by_attack in found.items()
        },
        count=len(benign),
    )


def _examples(trial: Trial, data: Path, split: str) -> Examples:
    if trial.data == "imagenet-samples":
        return examples(f"imagefolder:{data / trial.data},size=128,crop=1,interpolation=bilinear,grey=false")
    return examples(f"{trial.data}:{data / trial.data}", split=split)


def _subject(trial: Trial, data: Path, folder: Path, test: Examples) -> tuple[Classifier, float]:
    """Return the model, and its accuracy on the first 1,000 test inputs."""
    subject = network(trial.network, trial.recipe, data, folder, lambda: _examples(trial, data, "train"))
    batch = test.batch(range(min(1000, len(test))))
    return subject, float(np.mean(subject.observe(batch.inputs).predicted.numpy() == np.asarray(batch.labels)))


def _found(maps: list[UncertaintyMap], extreme: str) -> dict[str, tuple[Group, dict[str, Area]]]:
    """Return by attack its inputs at one extreme, if there are any, and how well each metric tells them apart."""
    found = {}
    for one in maps:
        for label in one.campaign.plan.labels:
            # An attack that shows one input per seed has one group, which is both its smallest and its strongest.
            name = f"{label}, {extreme}" if f"{label}, {extreme}" in one.groups else label
            if len(one.groups[name]):
                areas = {metric: Area(area.mean, *area.ci95) for metric, area in one.auc()[name].items()}
                found[label] = one.groups[name], areas
    return found


def _by_attack(
    found: dict[str, dict[str, tuple[Group, dict[str, Area]]]], draws: int
) -> dict[str, dict[str, AttackFigures]]:
    attacks: dict[str, dict[str, AttackFigures]] = {}
    for extreme, by_label in found.items():
        for label, (group, areas) in by_label.items():
            attacks.setdefault(label, {})[extreme] = AttackFigures(_figures(group, draws), areas)
    return attacks


def _figures(group: Group, draws: int) -> GroupFigures:
    """Return what is said of a group, with a few of its inputs for a figure."""
    pcs, vro = group.figures["pcs"], group.figures["vro"]
    names = Thresholds().patterns(pcs, vro)
    by_draws = {**group.uncertainty_by_draws, draws: vro}
    return GroupFigures(
        count=len(group),
        pcs=Moments(float(pcs.mean()), float(pcs.var())),
        vro=Moments(float(vro.mean()), float(vro.var())),
        patterns={name: float((names == name).mean()) for name in PATTERNS},
        vro_by_draws={number: float(values.mean()) for number, values in by_draws.items()},
        points=Points(*(tuple(values[:_POINTS].round(4).tolist()) for values in (pcs, vro))),
    )


def _correlation(groups: list[Group]) -> float:
    pcs, vro = (np.concatenate([group.figures[metric] for group in groups]) for metric in ("pcs", "vro"))
    return float(np.corrcoef(pcs, vro)[0, 1])
