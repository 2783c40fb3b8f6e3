"""The command that a campaign's plan stands for."""

import shlex
from dataclasses import replace

from unnerve.campaign.plan import Plan
from unnerve.report.parts.commands import method_text
from unnerve.report.parts.names import printable
from unnerve.report.parts.regions import region_text
from unnerve.studies.campaign import Campaign

__all__ = ["campaign_command", "coverage_command", "wider_command"]

_USUAL = {"seed": 0, "shard": 50}


def campaign_command(campaign: Campaign) -> str:
    """Return the command line that would run a campaign again, from its plan.

    Options that are no part of the plan (weights, normalisation, neurons, device) are missing.
    """
    return _command(campaign.plan, campaign.store.path, _labelled(campaign))


def coverage_command(campaign: Campaign) -> str:
    """Return the command that measures what the findings of a campaign add to the coverage of its seeds."""
    words = ["--coverage", "all", "--profile", printable(str(campaign.plan.data["name"])), "--resume"]
    return f"{campaign_command(campaign)} {shlex.join(words)}"


def wider_command(campaign: Campaign) -> str:
    """Return the command of a hunt that is likelier to find something: twice the radius, in a folder beside."""
    plan = campaign.plan
    key = next((key for key, value in plan.region.items() if isinstance(value, float)), None)
    if key is not None:
        radius = 2 * float(plan.region[key])
        plan = replace(plan, region={**plan.region, key: radius if plan.region["name"] == "l2" else min(1.0, radius)})
    return _command(plan, f"{campaign.store.path}-wider", _labelled(campaign))


def _command(plan: Plan, out: str, labelled: bool) -> str:
    arena = plan.again or len(plan.methods) > 1
    words = ["unnerve", "arena" if arena else "hunt", str(plan.model["name"]), str(plan.data["name"])]
    words += ["--methods" if arena else "--method", ",".join(method_text(one) for one in plan.methods)]
    words += ["--region", region_text(plan.region), "--inputs", str(plan.seeds)]
    if plan.queries is not None:
        words += ["--queries", str(plan.queries)]
    name = str(plan.oracle.get("name"))
    if name == "becomes":
        words += ["--target", str(plan.oracle.get("target"))]
    elif name != ("misclassified" if labelled else "changed"):
        words += ["--oracle", name]
    if plan.reference is not None and plan.reference.get("name") != plan.data["name"]:
        words += ["--reference", str(plan.reference.get("name"))]
    words += [] if plan.keep_going else ["--stop-at-first"]
    words += ["--quantised"] if plan.quantised else []
    for option, usual in _USUAL.items():
        if getattr(plan, option) != usual:
            words += [f"--{option}", str(getattr(plan, option))]
    return shlex.join(printable(word) for word in [*words, "--out", out])


def _labelled(campaign: Campaign) -> bool:
    return None not in campaign.store.labels().values()
