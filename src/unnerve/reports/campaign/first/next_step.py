"""The one command worth running after a campaign, and the reason for it."""

from dataclasses import replace
from pathlib import PurePath

from unnerve.core.naming.command_text import number_text
from unnerve.reports.campaign.command import wider_command
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.directed_search import DirectedSearch, directed_search
from unnerve.reports.parts.commands import NextStep, command_line, repeating_command
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.regions import radius_text
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["alike_step", "export_command", "next_step"]

_EXPORT = "write the failures as files with a table of classes, to look at them or to train on them:"
_MOST = 0.9


def next_step(evidence: Evidence) -> tuple[str, str]:
    """Return a reason and a command, complete; the command is empty if no command repeats the campaign."""
    first = evidence.leading
    names = {method.name for method in first.plan.methods}
    if not len(evidence.found):
        return _after_nothing(evidence)
    share = evidence.broken.mean()
    narrower = _narrower(first)
    if share >= _MOST and narrower:
        which = f"every one of the {evidence.noun} fails" if share == 1 else f"nearly all {evidence.noun} fail"
        size = radius_text(first.plan.region.size or 0)
        what = "one method from another" if len(evidence.methods) > 1 else "a better model from a worse one"
        reason = f"{which} at {size}, so this region hardly tells {what}. A quarter of it may:"
        return reason, repeating_command(first.provenance, region=narrower, out=f"{first.store.path}-narrower")
    search = directed_search(evidence)
    if search and all(method.blind for method in first.plan.methods):
        reason = f"{_named(names)} does not look at the model; a search {search.led_by()} may break more:"
        return reason, _searched(first, search)
    return _EXPORT, export_command(first)


def alike_step(evidence: Evidence) -> NextStep:
    """Return what puts campaigns that are unlike on a par: the plan of the first, on the second's model or methods.

    Where both are the same, or no command repeats a run, the findings are exported.
    """
    first = evidence.campaigns[0]
    second = next(one for one, task in zip(evidence.campaigns, evidence.tasks, strict=True) if task)
    name, other = (display_name(PurePath(one.store.path).name, 40) for one in (first, second))
    out = f"{second.store.path}-alike"
    if first.plan.model.hash != second.plan.model.hash:
        reason = f"hunt the model of {other} by the plan of {name}, so that the two can be compared seed by seed:"
        made = first.provenance and second.provenance and replace(first.provenance, model=second.provenance.model)
        command = repeating_command(made, out=out)
    else:
        reason = f"run the methods of {other} by the plan of {name}, so that methods can be compared:"
        methods = _methods_setting(first, second)
        command = repeating_command(first.provenance, **methods, out=out) if methods else ""
    if command or not len(evidence.found):
        return NextStep(reason if command else "", command)
    return NextStep(_EXPORT, export_command(evidence.leading))


def _methods_setting(first: Campaign, second: Campaign) -> dict[str, str]:
    """Return the setting with which a campaign is repeated with another's methods; empty if that changes nothing."""
    own, others = ([one.text for one in campaign.plan.methods] for campaign in (first, second))
    verb = "" if first.provenance is None else first.provenance.call.verb
    setting = {"hunt": "method", "arena": "methods"}.get(verb)
    if setting is None or own == others or (setting == "method" and len(others) > 1):
        return {}
    return {setting: ",".join(others)}


def export_command(campaign: Campaign) -> str:
    """Return the command that writes the findings of a campaign as files."""
    path = campaign.store.path
    return command_line(["unnerve", "export", path, "--to", f"{path}-failures"])


def _after_nothing(evidence: Evidence) -> tuple[str, str]:
    first, search = evidence.leading, directed_search(evidence)
    if search and search.name not in {method.name for method in first.plan.methods}:
        return f"the same region and inputs, searched {search.led_by('the model')}:", _searched(first, search)
    if first.plan.region.wider not in (None, first.plan.region.text):
        return "the same search in a region of twice the size:", wider_command(first)
    # A region that has no wider one leaves only other inputs to try.
    more = repeating_command(first.provenance, inputs=str(2 * first.plan.seeds), out=f"{first.store.path}-more")
    return "the same search from twice as many inputs:", more


def _searched(first: Campaign, search: DirectedSearch) -> str:
    # Settings of the old method, such as its budget, stay: the two campaigns can be put side by side.
    return repeating_command(first.provenance, method=search.text, out=f"{first.store.path}-{search.name}")


def _narrower(campaign: Campaign) -> str:
    """Return a region of a quarter of the size as on the command line; empty where the size is not all there is."""
    region = campaign.plan.region
    plain = f"{region.described.get('name')}:{number_text(region.size)}" if region.size else ""
    return f"{region.described['name']}:{number_text((region.size or 0) / 4)}" if plain == region.text else ""


def _named(names: set[str]) -> str:
    return display_name(", ".join(sorted(names)), 60)
