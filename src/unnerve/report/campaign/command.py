"""The command that a campaign's plan stands for."""

import shlex

from unnerve.campaign.plan import StoredPlan
from unnerve.report.parts.names import printable
from unnerve.studies.campaign import Campaign

__all__ = ["campaign_command", "coverage_command", "wider_command"]

_USUAL = {"seed": 0, "shard": 50, "pools": 1}


def campaign_command(campaign: Campaign) -> str:
    """Return the command line that would run a campaign again, from its plan.

    Options that are no part of the plan (weights, normalisation, neurons, device) are missing.
    """
    return _command(campaign.plan, campaign.store.path, _labelled(campaign))


def coverage_command(campaign: Campaign) -> str:
    """Return the command that measures what the findings of a campaign add to the coverage of its seeds."""
    words = ["--coverage", "all", "--profile", printable(campaign.plan.data.name), "--resume"]
    return f"{campaign_command(campaign)} {shlex.join(words)}"


def wider_command(campaign: Campaign) -> str:
    """Return the command of a hunt that is likelier to find something: twice the radius, in a folder beside."""
    return _command(campaign.plan, f"{campaign.store.path}-wider", _labelled(campaign), wider=True)


def _command(plan: StoredPlan, out: str, labelled: bool, wider: bool = False) -> str:
    arena = plan.again or len(plan.methods) > 1
    words = ["unnerve", "arena" if arena else "hunt", plan.model.name, plan.data.name]
    words += ["--methods" if arena else "--method", ",".join(one.text for one in plan.methods)]
    words += ["--region", (plan.region.wider if wider else None) or plan.region.text, "--inputs", str(plan.seeds)]
    if plan.queries is not None:
        words += ["--queries", str(plan.queries)]
    if plan.oracle.target is not None:
        words += ["--target", str(plan.oracle.target)]
    elif plan.oracle.text != ("misclassified" if labelled else "changed"):
        words += ["--oracle", plan.oracle.text]
    if plan.reference is not None and plan.reference.name != plan.data.name:
        words += ["--reference", plan.reference.name]
    words += [] if plan.keep_going else ["--stop-at-first"]
    words += ["--quantised"] if plan.quantised else []
    for option, usual in _USUAL.items():
        if getattr(plan, option) != usual:
            words += [f"--{option}", str(getattr(plan, option))]
    return shlex.join(printable(word) for word in [*words, "--out", out])


def _labelled(campaign: Campaign) -> bool:
    return None not in campaign.store.labels().values()
