"""The command that a map stands for, and others that would fill its empty sections."""

import shlex
from collections.abc import Sequence

from unnerve.reports.parts.commands import command_line
from unnerve.reports.parts.names import printable
from unnerve.studies.map.result import Thresholds, UncertaintyMap

__all__ = ["map_command", "more_draws_command", "resume_command", "wider_command"]


def map_command(found: UncertaintyMap) -> str:
    """Return the command line that would make a map again, from its plan.

    Options that are no part of the plan (dropout, weights, normalisation, device) are missing.
    """
    plan, limits = found.campaign.plan, found.thresholds
    words = ["unnerve", "map", plan.model.name, plan.data.name]
    words += ["--attacks", ",".join(one.text for one in plan.methods)]
    words += ["--region", plan.region.text, "--inputs", str(plan.seeds), "--draws", str(found.draws)]
    if limits != Thresholds():
        words += ["--thresholds", ",".join(f"{value:g}" for value in vars(limits).values())]
    if plan.seed:
        words += ["--seed", str(plan.seed)]
    return command_line([*words, "--out", found.campaign.store.path])


def wider_command(command: str, found: UncertaintyMap) -> str:
    """Return the command of a map whose attacks find more: twice the radius, in a folder beside."""
    region = found.campaign.plan.region.wider or found.campaign.plan.region.text
    folder = f"{found.campaign.store.path}-wider"
    return _changed(command, found, {"--region": printable(region), "--out": printable(folder)})


def more_draws_command(command: str, found: UncertaintyMap) -> str:
    """Return the command of the same map with as many draws as can be compared."""
    return f"{_changed(command, found, {'--draws': '50'})} --resume"


def resume_command(command: str, found: UncertaintyMap) -> str:
    """Return the command that goes on with the attacks of a map."""
    return f"{_changed(command, found, {})} --resume"


def _changed(command: str, found: UncertaintyMap, options: dict[str, str]) -> str:
    """Return a command with other values for some options."""
    try:
        words: Sequence[str] = shlex.split(command)
    except ValueError:  # no command line after all
        words = shlex.split(map_command(found))
    kept = [
        word
        for place, word in enumerate(words)
        if word.partition("=")[0] not in (*options, "--resume") and (place == 0 or words[place - 1] not in options)
    ]
    return shlex.join([*kept, *(word for pair in options.items() for word in pair)])
