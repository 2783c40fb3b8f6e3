"""The experiment behind KuK's Tables 3 and 4: attack a network, then map what was found."""

from pathlib import Path

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.papers._networks import network, trained
from unnerve.papers._parts import Part, digest
from unnerve.papers.kuk.results import Area, AttackFigures, GroupFigures, TrialResult
from unnerve.papers.kuk.trial import EARLY, EXTREMES, LATE, Attacks, Trial
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.map.map import uncertainty_map
from unnerve.studies.map.result import METRICS, Group, UncertaintyMap
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.models import model

__all__ = ["part_of", "trial_examples", "trial_subject"]

# Fewer rows than 32 are padded, at full cost; more would be lost when a run is interrupted.
_SHARD = 32
_SIDE = {"mobilenet": 128, "mobilenet_v2": 224}
Mapped = tuple[Attacks, UncertaintyMap]


def part_of(trial: Trial, data: Path, folder: Path) -> Part[TrialResult]:
    """Return the experiment as a part; its campaigns stay in ``folder``, where they can be reported and resumed."""
    name = f"{trial.network}-{trial.data}"
    if trial.alone is None:
        return Part(name, trial, TrialResult, lambda: _run(trial, data, folder), (3, 4))
    # It takes longer than all other attacks together, so that no table asks for it.
    return Part(f"{trial.alone}-{name}", trial, TrialResult, lambda: _run(trial, data, folder), only_asked=True)


def _run(trial: Trial, data: Path, folder: Path) -> TrialResult:
    test = trial_examples(trial, data, "test")
    subject, accuracy = trial_subject(trial, data, folder, test)
    # The paper states no rate; the VRO that it prints of benign inputs is all there is to choose one by.
    rate = calibrated_rate(subject, test, trial.vro, inputs=50, draws=20, seed=trial.seed)
    dropping = with_dropout(subject, rate)
    maps: list[Mapped] = []
    for number, some in enumerate(trial.campaigns):
        out = folder / "campaigns" / f"{trial.network}-{number}-{digest(trial)}"
        hunting = HuntSettings(
            region=some.region, inputs=trial.inputs, seed=trial.seed, shard=_SHARD, stop_at_first=some.first_only
        )
        request = CampaignRequest(list(some.methods), str(out))
        campaign = run_campaign(subject, test, request, hunting, RunSettings(resume=True))
        maps.append((some, uncertainty_map(dropping, campaign, draws=LATE, seed=trial.seed)))
    benign = maps[0][1].groups["benign"]
    found = {extreme: _found(maps, extreme) for extreme in EXTREMES}
    places = {name: place for place, name in enumerate(benign.ids)}
    return TrialResult(
        plan=trial,
        accuracy=accuracy,
        rate=rate,
        dropout=maps[0][1].dropout,
        benign=_figures(benign, places, trial.draws),
        attacks=_by_attack(found, places, trial.draws),
        correlation={
            extreme: _correlation([benign, *(group for group, _ in by_attack.values())])
            for extreme, by_attack in found.items()
        },
        count=len(benign),
    )


def trial_examples(trial: Trial, data: Path, split: str) -> Examples:
    """Return the training or the test part of a trial's data."""
    if trial.data == "imagenet-samples":
        side = _SIDE[trial.network]
        return examples(f"imagefolder:{data / trial.data},size={side},crop=1,interpolation=bilinear,grey=false")
    return examples(f"{trial.data}:{data / trial.data}", split=split)


def trial_subject(trial: Trial, data: Path, folder: Path, test: Examples) -> tuple[Classifier, float]:
    """Return the model, and its accuracy on the first 1,000 test inputs."""
    if trial.recipe is None:
        subject = network(trial.network, trial.data, data)
    else:
        weights = trained(trial.network, trial.recipe, lambda: trial_examples(trial, data, "train"), folder)
        subject = model(f"zoo:{trial.network}", weights=weights)
    rows = range(min(1000, len(test)))
    right = [
        np.mean(subject.observe(batch.inputs).predicted.numpy() == np.asarray(batch.labels))
        for batch in (test.batch(rows[start : start + 100]) for start in range(0, len(rows), 100))
    ]
    return subject, float(np.mean(right))


def _found(maps: list[Mapped], extreme: str) -> dict[str, tuple[Group, dict[str, Area]]]:
    """Return by attack its inputs at one extreme, if there are any, and how well each metric tells them apart."""
    found = {}
    for some, one in maps:
        for label in one.campaign.plan.labels if extreme in some.extremes else ():
            # An attack that shows one input per seed has one group, which is both its smallest and its strongest.
            name = f"{label}, {extreme}" if f"{label}, {extreme}" in one.groups else label
            if len(one.groups[name]):
                areas = {metric: Area(area.mean, *area.ci95) for metric, area in one.auc()[name].items()}
                found[label] = one.groups[name], areas
    return found


def _by_attack(
    found: dict[str, dict[str, tuple[Group, dict[str, Area]]]], places: dict[str, int], draws: int
) -> dict[str, dict[str, AttackFigures]]:
    attacks: dict[str, dict[str, AttackFigures]] = {}
    for extreme, by_label in found.items():
        for label, (group, areas) in by_label.items():
            attacks.setdefault(label, {})[extreme] = AttackFigures(_figures(group, places, draws), areas)
    return attacks


def _figures(group: Group, places: dict[str, int], draws: int) -> GroupFigures:
    """Return every input of a group. Differs: VR, PE and MI are of 200 draws, where the paper has 50 or 100."""
    by_draws = {**group.uncertainty_by_draws, LATE: group.figures["vro"]}
    figures = group.figures | {"vro": by_draws[draws]}
    return GroupFigures(
        seeds=tuple(places[name] for name in group.seed_ids),
        metrics={metric: _rounded(figures[metric]) for metric in METRICS},
        vro_by_draws={number: _rounded(by_draws[number]) for number in (EARLY, draws, LATE)},
    )


def _rounded(values: np.ndarray) -> tuple[float, ...]:
    # Seven digits: enough for every order and every threshold, in half the space.
    return tuple(float(f"{value:.7g}") for value in values)


def _correlation(groups: list[Group]) -> float:
    pcs, vro = (np.concatenate([group.figures[metric] for group in groups]) for metric in ("pcs", "vro"))
    return float(np.corrcoef(pcs, vro)[0, 1])
