"""The experiment behind KuK's Tables 6 and 7: attack and hunt, then show what was found to defences."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.papers._parts import Part, digest
from unnerve.papers.kuk.defence_tables import RETRAINED
from unnerve.papers.kuk.defence_trial import CLEAN, COMMON, UNCOMMON, DefenceCounts, DefenceResult, DefenceTrial
from unnerve.papers.kuk.runs import trial_examples
from unnerve.papers.kuk.uncommon_runs import Hunted, first_findings, hunted, opened
from unnerve.papers.kuk.uncommon_trial import PATTERNS
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.defend.defend import defences_named
from unnerve.studies.defend.prepared import prepared
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign

__all__ = ["defence_part"]

_HELD_OUT = {"imagenet-samples": 100}
"""Clean inputs that detectors learn from, where passes take long; 500 elsewhere."""


class _Inputs(NamedTuple):
    """Inputs (N, ...), labels and the model's answers, int64 (N,)."""

    x: Tensor
    labels: Tensor
    predicted: Tensor


def defence_part(plan: DefenceTrial, data: Path, folder: Path) -> Part[DefenceResult]:
    """Return the experiment as a part that is run if its table is asked for; it takes the campaigns of Table 5."""
    name = f"defended-{plan.hunted.trial.network}"
    return Part(name, plan, DefenceResult, lambda: _run(plan, data, folder), (plan.table,), only_asked=True)


def _run(plan: DefenceTrial, data: Path, folder: Path) -> DefenceResult:
    scene = opened(plan.hunted, data, folder)
    common = _attacked(plan, scene)
    # Only what KuK's own search found, as in the paper: a better search is beside the question here.
    uncommon = [row for one in PATTERNS for row in first_findings(hunted(plan.hunted, scene, one, "kuk"))]
    seeds = _seeds(common, scene.test)
    groups = {
        COMMON: _joined(seeds, _found(scene.subject, first_findings(common))),
        UNCOMMON: _found(scene.subject, uncommon),
    }
    training = _training(plan, data)
    defences = _defended(plan, scene, training, groups)
    return DefenceResult(plan, scene.accuracy, len(seeds.labels), defences, 0 if training is None else len(training))


def _attacked(plan: DefenceTrial, scene: Hunted) -> Campaign:
    trial = plan.hunted.trial
    attacks = trial.campaigns[0]
    request = CampaignRequest(list(attacks.methods), str(scene.place / f"common-{digest(plan.hunted)}"))
    hunting = HuntSettings(region=attacks.region, inputs=trial.inputs, seed=trial.seed, stop_at_first=True)
    return run_campaign(scene.subject, scene.test, request, hunting, RunSettings(resume=True))


def _seeds(campaign: Campaign, test: Examples) -> _Inputs:
    """Return the seeds of the attacks."""
    wanted = {str(seed.id) for tally in campaign.tallies.values() for seed in tally.seeds}
    places = [row for row, name in enumerate(test.ids()) if name in wanted]
    batch = test.batch(places)
    assert batch.labels is not None
    return _Inputs(batch.inputs, batch.labels, batch.labels)


def _found(subject: Classifier, rows: list[dict[str, Any]]) -> _Inputs | None:
    if not rows:
        return None
    x = torch.from_numpy(np.stack([stored_array(row["input"], row["shape"], row["dtype"]) for row in rows]))
    return _Inputs(x, torch.tensor([row["label"] for row in rows]), subject.observe(x).predicted)


def _joined(one: _Inputs, other: _Inputs | None) -> _Inputs:
    return one if other is None else _Inputs(*(torch.cat(pair) for pair in zip(one, other, strict=True)))


def _training(plan: DefenceTrial, data: Path) -> Examples | None:
    """Return what hardened models are trained on; None if there are none of them."""
    hardened = any(one.startswith(RETRAINED) for one in plan.defences)
    return trial_examples(plan.hunted.trial, data, "train") if hardened else None


def _defended(
    plan: DefenceTrial, scene: Hunted, training: Examples | None, groups: dict[str, _Inputs | None]
) -> tuple[DefenceCounts, ...]:
    # The last inputs: seeds are among the first.
    count = _HELD_OUT.get(plan.hunted.trial.data, 500)
    held_out = scene.test.take(range(max(0, len(scene.test) - count), len(scene.test)))
    batch = held_out.batch(range(len(held_out)))
    assert batch.labels is not None
    clean = _Inputs(batch.inputs, batch.labels, scene.subject.observe(batch.inputs).predicted)
    counted = []
    for text, defence in defences_named(list(plan.defences)):
        ready = prepared(scene.subject, text, defence, held_out, held_out if training is None else training)
        # Detectors and transforms were calibrated on these inputs, which would flatter them.
        more = {CLEAN: clean} if ready.kind == "model" else {}
        for name, group in (groups | more).items():
            if group is not None:
                right = ready.right(*group)
                wrong = group.predicted != group.labels
                numbers = (len(right), int(right.sum()), int(wrong.sum()), int((right & wrong).sum()))
                counted.append(DefenceCounts(text, name, *numbers))
    return tuple(counted)
