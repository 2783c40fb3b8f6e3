"""The command that a campaign's plan stands for."""

from dataclasses import replace

from unnerve.campaign.plan import StoredPlan
from unnerve.reports.parts.commands import command_line
from unnerve.reports.parts.oracles import oracle_options
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["campaign_command", "coverage_command", "wider_command"]

_USUAL = {"seed": 0, "shard": 50, "pools": 1}


def campaign_command(campaign: Campaign) -> str:
    """Return the command line that would run a campaign again, from its plan.

    Options that are no part of the plan (weights, normalisation, neurons, device) are missing.
    """
    return _command(campaign.plan, campaign.store.path, _labelled(campaign))


def coverage_command(campaign: Campaign) -> str:
    """Return the command that measures what the findings of a campaign add to the coverage of its seeds."""
    words = ["--coverage", "all", "--profile", campaign.plan.data.name, "--resume"]
    return f"{campaign_command(campaign)} {command_line(words)}"


def wider_command(campaign: Campaign) -> str:
    """Return the command of a hunt that is likelier to find something: twice the radius, in a folder beside."""
    region = campaign.plan.region
    plan = replace(campaign.plan, region=replace(region, text=region.wider or region.text))
    return _command(plan, f"{campaign.store.path}-wider", _labelled(campaign))


def _command(plan: StoredPlan, out: str, labelled: bool) -> str:
    arena = plan.again or len(plan.methods) > 1
    words = ["unnerve", "arena" if arena else "hunt", plan.model.name, plan.data.name]
    words += ["--methods" if arena else "--method", ",".join(one.text for one in plan.methods)]
    words += ["--region", plan.region.text, "--inputs", str(plan.seeds)]
    if plan.queries is not None:
        words += ["--queries", str(plan.queries)]
    words += oracle_options(plan.oracle, labelled)
    if plan.reference is not None and plan.reference.name != plan.data.name:
        words += ["--reference", plan.reference.name]
    words += [] if plan.keep_going else ["--stop-at-first"]
    words += ["--quantised"] if plan.quantised else []
    for option, usual in _USUAL.items():
        if getattr(plan, option) != usual:
            words += [f"--{option}", str(getattr(plan, option))]
    return command_line([*words, "--out", out])


def _labelled(campaign: Campaign) -> bool:
    return None not in campaign.store.labels().values()
