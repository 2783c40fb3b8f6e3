"""The experiment behind KuK's Table 5: hunt for each pattern, by the paper's search and by gradients."""

from pathlib import Path
from typing import Any, NamedTuple

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.papers._parts import Part, digest
from unnerve.papers.kuk.runs import trial_examples, trial_subject
from unnerve.papers.kuk.uncommon_trial import METHODS, PATTERNS, Found, PatternResult, PatternTrial, UncommonTrial
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.hunt.settings import PatternSettings

__all__ = ["Hunted", "first_findings", "hunted", "opened", "uncommon_parts"]

# A genetic search is wide by itself, and one seed may take minutes: a killed run then has lost one. Gradients of one
# seed would not fill a pass.
_SHARD = {"kuk": 1, "uncommon_ascent": 10}


class Hunted(NamedTuple):
    """A network with its test data, its dropout, and the folder of its campaigns."""

    subject: Classifier
    accuracy: float
    test: Examples
    rate: float
    place: Path


def uncommon_parts(plan: UncommonTrial, data: Path, folder: Path) -> list[Part[PatternResult]]:
    """Return a part for each pattern, run if its table is asked for; their campaigns stay in ``folder``."""
    return [_part(PatternTrial(plan, pattern), data, folder) for pattern in PATTERNS]


def _part(plan: PatternTrial, data: Path, folder: Path) -> Part[PatternResult]:
    name = f"uncommon-{plan.hunted.trial.network}-{plan.pattern.lower()}"
    return Part(name, plan, PatternResult, lambda: _run(plan, data, folder), (5,), only_asked=True)


def _run(plan: PatternTrial, data: Path, folder: Path) -> PatternResult:
    scene = opened(plan.hunted, data, folder)
    campaigns = {method: hunted(plan.hunted, scene, plan.pattern, method) for method in METHODS}
    seeds = max(len(tally.seeds) for one in campaigns.values() for tally in one.tallies.values())
    found = tuple(_found(one, plan.pattern, method) for method, one in campaigns.items())
    return PatternResult(plan, scene.accuracy, scene.rate, seeds, found)


def opened(plan: UncommonTrial, data: Path, folder: Path) -> Hunted:
    """Return the network with the dropout rate at which benign inputs have the VRO that the paper prints."""
    trial = plan.trial
    test = trial_examples(trial, data, "test")
    subject, accuracy = trial_subject(trial, data, folder, test)
    rate = calibrated_rate(subject, test, trial.vro, inputs=50, draws=20, seed=trial.seed)
    return Hunted(subject, accuracy, test, rate, folder / "campaigns")


def hunted(plan: UncommonTrial, scene: Hunted, pattern: str, method: str) -> Campaign:
    """Return the campaign of one method for one pattern, from wherever it stands to its end."""
    out = scene.place / f"{pattern}-{method}-{digest(plan)}"
    dropout = DropoutSettings(dropout=scene.rate, draws=plan.trial.draws)
    request = CampaignRequest([method], str(out), pattern=PatternSettings(pattern), dropout=dropout)
    hunting = HuntSettings(
        region=plan.region, inputs=plan.trial.inputs, seed=plan.trial.seed, shard=_SHARD[method.partition(":")[0]]
    )
    return run_campaign(scene.subject, scene.test, request, hunting, RunSettings(resume=True))


def first_findings(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the first finding of every seed and method, as rows of the store."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for label in campaign.plan.labels:
        for table in campaign.found(label):
            for row in table.to_pylist():
                first.setdefault((label, row["seed_id"]), row)
    return list(first.values())


def _found(campaign: Campaign, pattern: str, method: str) -> Found:
    rows = first_findings(campaign)
    wrong = tuple(bool(row["adversarial"]) for row in rows)
    pcs, vro = (tuple(round(float(row[name]), 5) for row in rows) for name in ("pcs", "vro"))
    queries = sum(int(seed.queries) for tally in campaign.tallies.values() for seed in tally.seeds)
    return Found(pattern, method, wrong, pcs, vro, queries)
