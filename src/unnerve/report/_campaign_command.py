"""The command that a campaign's plan stands for."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unnerve.campaign.plan import Plan
from unnerve.core.catalogue import describe, find, settings
from unnerve.core.errors import UserError
from unnerve.report._campaign_regions import radius_text, region_text
from unnerve.report._names import printable
from unnerve.studies.campaign import Campaign

__all__ = ["campaign_command", "coverage_command", "method_text", "wider_command"]

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


def method_text(method: Mapping[str, Any]) -> str:
    """Write a method as on the command line, with the settings in which it differs from its defaults."""
    chosen = _changed(method)
    return f"{method['name']}:{','.join(chosen)}" if chosen else str(method["name"])


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


def _changed(method: Mapping[str, Any], kind: str = "hunter") -> list[str]:
    try:
        usual = {key: one.default for key, one in settings(find(kind, str(method["name"]))).items()}
    except (UserError, TypeError):  # a method that is not installed here
        usual = {}
    return [
        f"{key}={_value(value)}"
        for key, value in method.items()
        if key not in ("name", "kind") and not (key in usual and _same(value, usual[key]))
    ]


def _same(value: Any, usual: Any) -> bool:
    if isinstance(value, Mapping):
        return bool({key: one for key, one in value.items() if key != "kind"} == describe(usual))
    return bool(value == usual)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = _changed(value, str(value.get("kind")))
        return f"{value['name']}({','.join(inner)})" if inner else str(value["name"])
    if isinstance(value, float):
        return radius_text(value, exact=True)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
