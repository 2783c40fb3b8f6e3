"""The experiment behind KuK's Table 2: run testing tools and attacks on a network, and measure what they make."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Examples
from unnerve.core.masks import Masks
from unnerve.core.model import Classifier, Stochastic
from unnerve.measure.scores.margin import margin
from unnerve.measure.scores.vro import vro
from unnerve.papers._parts import Part, digest
from unnerve.papers.kuk.runs import trial_examples, trial_subject
from unnerve.papers.kuk.tools.trial import Cloud, Made, Tool, ToolResult, ToolTrial
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.cover.cover import watched
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.map.map import uncertainty_map
from unnerve.subjects.dropout import with_dropout

__all__ = ["tool_part"]

_ROWS = 64
"""Inputs that are drawn for at once."""


def tool_part(plan: ToolTrial, data: Path, folder: Path) -> Part[ToolResult]:
    """Return the experiment as a part; its campaigns stay in ``folder``, where they can be reported and resumed."""
    name = f"tools-{plan.trial.network}"
    return Part(name, plan, ToolResult, lambda: _run(plan, data, folder), (2,), only_asked=True)


def _run(plan: ToolTrial, data: Path, folder: Path) -> ToolResult:
    trial = plan.trial
    test, training = trial_examples(trial, data, "test"), trial_examples(trial, data, "train")
    given, accuracy = trial_subject(trial, data, folder, test)
    subject = watched(given)
    rate = calibrated_rate(subject, test, trial.vro, inputs=50, draws=20, seed=trial.seed)
    dropping = with_dropout(subject, rate)
    assert isinstance(dropping, Stochastic)
    place = folder / "campaigns"
    groups: dict[str, Cloud] = {}
    for number, some in enumerate(trial.campaigns):
        hunting = HuntSettings(
            region=some.region, inputs=plan.attacked, seed=trial.seed, shard=25, stop_at_first=some.first_only
        )
        request = CampaignRequest(list(some.methods), str(place / f"tools-attacks-{number}-{digest(plan)}"))
        campaign = run_campaign(subject, test, request, hunting, RunSettings(resume=True))
        groups |= _attacks(dropping, campaign, plan)
    benign = groups.pop("benign")
    made: dict[str, Made] = {}
    clouds: dict[str, Cloud] = {}
    for tool in plan.tools:
        campaign = _hunted(plan, subject, test, training, place, tool)
        made[tool.title] = _counted(campaign, campaign.plan.labels[0])
        clouds[tool.title] = _cloud(dropping, _rows(campaign), plan)
    equal = _equal(plan, subject, test, training, place)
    return ToolResult(plan, accuracy, rate, benign, groups, made, clouds, equal)


def _hunted(
    plan: ToolTrial, subject: Classifier, test: Examples, training: Examples, place: Path, *tools: Tool
) -> Campaign:
    """Run tools that have a region and a budget in common."""
    first = tools[0]
    name = digest([plan, first.region, first.queries, [tool.method for tool in tools]])
    request = CampaignRequest([tool.method for tool in tools], str(place / f"tools-{name}"), again=True)
    profiled = any("kmnc" in tool.method for tool in tools)
    hunting = HuntSettings(
        region=first.region,
        inputs=plan.trial.inputs,
        queries=first.queries,
        seed=plan.trial.seed,
        reference=training if profiled else None,
    )
    return run_campaign(subject, test, request, hunting, RunSettings(resume=True))


def _equal(plan: ToolTrial, subject: Classifier, test: Examples, training: Examples, place: Path) -> dict[str, Made]:
    """Run all tools and an attack in the attacks' region with the least of the tools' budgets."""
    region, least = plan.trial.campaigns[0].region, min(tool.queries for tool in plan.tools)
    tools = [Tool(tool.title, tool.method, region, least) for tool in plan.tools]
    tools += [Tool("BIM", "bim", region, least), Tool("random noise", "random", region, least)]
    campaign = _hunted(plan, subject, test, training, place, *tools)
    labels = campaign.plan.labels
    return {tool.title: _counted(campaign, label) for tool, label in zip(tools, labels, strict=True)}


def _counted(campaign: Campaign, label: str) -> Made:
    counts = campaign.tallies[label].counts()
    seeds = len(campaign.tallies[label].seeds)
    return Made(counts.errors, counts.seeds_broken, seeds, counts.queries / seeds)


def _attacks(model: Classifier, campaign: Campaign, plan: ToolTrial) -> dict[str, Cloud]:
    found = uncertainty_map(model, campaign, draws=plan.trial.draws, seed=plan.trial.seed)
    groups = {}
    for name, group in found.groups.items():
        if len(group) and not name.endswith("strongest"):
            numbers = {seed: number for number, seed in enumerate(dict.fromkeys(group.seed_ids))}
            figures = (tuple(np.round(group.figures[metric], 7).tolist()) for metric in ("pcs", "vro"))
            groups[name.removesuffix(", smallest")] = Cloud(tuple(numbers[one] for one in group.seed_ids), *figures)
    return groups


def _rows(campaign: Campaign) -> list[dict[str, Any]]:
    label = campaign.plan.labels[0]
    return [row for table in campaign.found(label) for row in table.to_pylist()]


def _cloud(model: Stochastic, rows: Sequence[dict[str, Any]], plan: ToolTrial) -> Cloud:
    """Measure inputs, evenly chosen among those found."""
    # Differs: the paper measures all of its thousands; a few hundred tell the mean to a hundredth.
    places = np.unique(np.linspace(0, len(rows) - 1, plan.measured).astype(int))
    chosen = [rows[place] for place in places] if rows else []
    numbers = {seed: number for number, seed in enumerate(dict.fromkeys(row["seed_id"] for row in rows))}
    pcs, unsteady = [], []
    for start in range(0, len(chosen), _ROWS):
        some = chosen[start : start + _ROWS]
        x = torch.from_numpy(np.stack([stored_array(row["input"], row["shape"], row["dtype"]) for row in some]))
        probabilities = model.observe(x).probabilities
        sampled = model.samples(x, Masks(plan.trial.seed, tuple(row["id"] for row in some), plan.trial.draws))
        pcs += (1 - margin(probabilities)).double().tolist()
        unsteady += vro(sampled, probabilities).double().tolist()
    seeds = tuple(numbers[row["seed_id"]] for row in chosen)
    return Cloud(seeds, *(tuple(round(value, 7) for value in values) for values in (pcs, unsteady)))
