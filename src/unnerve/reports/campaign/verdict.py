"""The sentences at the top of a campaign's report: what broke, how sure that is, and which method did it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from unnerve.reports.campaign.compared_methods import ComparedMethod, conditions, unlike
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.campaigns import class_names, unfinished
from unnerve.reports.parts.cards import accuracy_warnings
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent_between, significant
from unnerve.reports.parts.oracles import error_phrases
from unnerve.reports.parts.phrases import Phrase, listed
from unnerve.reports.parts.regions import region_words
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Task", "caveats", "doubtful", "failures", "method_words", "tasks", "unstable", "verdicts", "warnings"]


@dataclass(frozen=True, eq=False)
class Task:
    """One model, its seeds, region and oracle.

    Parameters
    ----------
    evidence : Evidence
    campaigns : tuple of Campaign
        Those that share it.
    seeds : bool array of shape (S,)
        Which seeds of the evidence are its own. Two tasks may hold the same inputs, so that they are never pooled.
    """

    evidence: Evidence
    campaigns: tuple[Campaign, ...]
    seeds: np.ndarray

    @property
    def name(self) -> str:
        """The folder of its first campaign."""
        return display_name(PurePath(self.campaigns[0].store.path).name, 40)

    @property
    def hunted(self) -> int:
        """How many seeds were hunted."""
        return int(self.seeds.sum())

    @property
    def broken(self) -> int:
        """How many of them broke, whatever the method."""
        return int((self.seeds & self.evidence.broken).sum())

    def within(self, reach: float) -> int:
        """Return how many seeds are known to break within this distance."""
        return int((self.seeds & (self.evidence.smallest_changes() <= reach)).sum())


def tasks(evidence: Evidence) -> list[Task]:
    """Return all tasks, in the order of the campaigns."""
    # The same input under two models or regions is two seeds, and shares are never taken over both.
    of_seed = np.array([task for task, _ in evidence.seeds], dtype=np.int64)
    return [
        Task(
            evidence,
            tuple(one for one, its in zip(evidence.campaigns, evidence.tasks, strict=True) if its == task),
            of_seed == task,
        )
        for task in sorted(set(evidence.tasks))
    ]


def verdicts(evidence: Evidence) -> tuple[tuple[Phrase, ...], ...]:
    """Return one sentence for each model, data set and region."""
    every = tasks(evidence)
    return tuple(_verdict(task, len(every) > 1) for task in every)


def caveats(evidence: Evidence, intervals: bool = True) -> tuple[str, ...]:
    """Return how sure the verdict is: intervals if they stand nowhere else, methods compared, what is missing."""
    every = tasks(evidence)
    said = [_interval(task, len(every) > 1) for task in every if task.hunted and intervals]
    if len(evidence.found):
        said.append(_proof(evidence))
    # Only where something was tried: an unfinished campaign has its own sentence.
    elif evidence.methods:
        said.append("That none was found does not prove that none exists.")
    if all(one.plan.quantised for one in evidence.campaigns) and len(evidence.found):
        said.append(f"All of them have 8-bit values, so they exist as files of {evidence.noun}.")
    return (*doubtful(evidence), *unstable(evidence), *said, *method_words(evidence), *_missing(evidence))


def _proof(evidence: Evidence) -> str:
    """Return what the findings went through; of all of them only where nothing of it is still to be done."""
    if not all(_settled(one) for one in evidence.campaigns):
        return "Whether the model answers steadily was not measured to the end: --resume may still drop findings."
    again = "failed again" if evidence.of_errors else "proved so again"
    return f"Every finding was run again with the values that are stored, and {again}."


def _settled(campaign: Campaign) -> bool:
    seen = campaign.stability
    doubted = any(seed.doubted for one in campaign.tallies.values() for seed in one.seeds)
    # Once one finding is doubted the model is unstable, and that is noted when all have been judged again.
    return campaign.complete and seen is not None and not (seen.stable and doubted)


def warnings(evidence: Evidence) -> tuple[str, ...]:
    """Return what weakens the figures: answers that look wrong, a model that is not stable, what was not hunted."""
    return (*doubtful(evidence), *unstable(evidence), *_missing(evidence))


def _missing(evidence: Evidence) -> tuple[str, ...]:
    """Return what the figures lack: methods, shards and seeds that were not hunted."""
    lacking = tuple(f"{display_name(label, 60)} {one}." for label, one in evidence.shortages.items())
    return (*lacking, *unfinished(evidence.campaigns), *failures(evidence))


def doubtful(evidence: Evidence) -> tuple[str, ...]:
    """Return what makes the answers of the models look wrong as a whole."""
    # Ten campaigns on one model would say the same sentence ten times.
    said = (text for one in evidence.campaigns for text in accuracy_warnings(one.accuracy, one.plan.model.name))
    return tuple(dict.fromkeys(said))


def unstable(evidence: Evidence) -> tuple[str, ...]:
    """Return which models do not answer the same each time, and what that means for the findings."""
    known = {one.plan.model.name: one.stability for one in evidence.campaigns}
    return tuple(
        f"{display_name(name, 60)}: {seen.text()}"
        for name, seen in known.items()
        if seen is not None and not seen.stable
    )


def method_words(evidence: Evidence) -> tuple[str, ...]:
    """Return which method broke most seeds, and whether that is more than chance; nothing for one method.

    Of campaigns that are unlike, each kind has a sentence of its own, and none compares them.
    """
    groups: dict[str, list[ComparedMethod]] = {}
    for method in evidence.methods:
        groups.setdefault(str(conditions(evidence.campaigns[method.campaign].plan)), []).append(method)
    found = set(evidence.found.method.tolist())
    places = {method.label: place for place, method in enumerate(evidence.methods)}
    said = [
        _best(evidence, methods)
        for methods in groups.values()
        if len(methods) > 1 and any(places[one.label] in found for one in methods)
    ]
    differing = unlike(evidence.campaigns)
    if differing:
        said.append(
            f"The campaigns differ in {listed(differing)}: they stand side by side, and whether their methods differ "
            "is not tested."
        )
    return tuple(said)


def _best(evidence: Evidence, methods: Sequence[ComparedMethod]) -> str:
    best = methods[0]
    own = [one for one in evidence.differences if one.better == best.label]
    # Significant is what holds at the lower end of the interval, too.
    clear = [one.other for one in own if one.seeds_broken.low > 0]
    open_ = [one.other for one in own if one.seeds_broken.low <= 0]
    share = f"{count(best.counts.seeds_broken)} of {count(best.counts.inputs)}"
    said = [f"significantly more than {_listed(clear)}"] if clear else []
    said += [f"not significantly more than {_listed(open_)}"] if open_ else []
    proof = f": {', '.join(said)} (over seeds, in pairs)" if said else ""
    return f"{display_name(best.label, 60)} broke the most seeds ({share}){proof}."


def failures(evidence: Evidence) -> tuple[str, ...]:
    """Return how many seeds could not be hunted, and the first reason."""
    failed = [seed for method in evidence.methods for seed in method.tally.seeds if seed.failed is not None]
    if not failed:
        return ()
    distinct = len({seed.id for seed in failed})
    reason = display_name(str(failed[0].failed), 160)
    return (f"Left out: {count(distinct, 'seeds')} that could not be hunted; the first: {reason}",)


def _verdict(task: Task, several: bool) -> tuple[Phrase, ...]:
    plan, shape, noun = task.campaigns[0].plan, task.evidence.shape, task.evidence.noun
    where = region_words(plan.region, shape)
    opening = f"{task.name}: {where}" if several else where[0].upper() + where[1:]
    model = Phrase(display_name(plan.model.name, 60), "name")
    if not task.hunted:
        state = (
            "no method had the queries for one step on"
            if task.evidence.shortages
            else "nothing has been hunted yet for"
        )
        return (Phrase(f"{opening}, {state} "), model, Phrase("."))
    if not task.broken:
        total = Phrase(count(task.hunted, noun), "figure")
        what = "error" if plan.oracle.of_errors else "such input"
        return (Phrase(f"{opening}, no {what} of "), model, Phrase(" was found on "), total, Phrase("."))
    share = Phrase(f"{count(task.broken)} of {count(task.hunted, noun)}", "figure")
    sentence = (Phrase(f"{opening}, "), model, *error_phrases(plan.oracle, class_names(task.campaigns[0])), share)
    return (*sentence, *_at_smaller_radius(task), Phrase("."))


def _at_smaller_radius(task: Task) -> tuple[Phrase, ...]:
    """Return the same for a smaller, common radius."""
    region, shape = task.campaigns[0].plan.region, task.evidence.shape
    if region.strict is None:
        return ()
    radius, reach = region.strict
    fewer, where = task.within(reach), region_words(region, shape, radius)
    if not fewer:
        return (Phrase(f"; none is known to fail {where}"),)
    verb = "fails" if fewer == 1 else "fail"
    return (Phrase("; "), Phrase(count(fewer), "figure"), Phrase(f" of them {verb} {where}"))


def _interval(task: Task, several: bool) -> str:
    interval = percent_between(*proportion(task.broken, task.hunted).ci95)
    which = f" in {task.name}" if several else ""
    share = "share broken" if task.evidence.of_errors else "share"
    return f"95 % interval of the {share}{which}: {interval}."


def _listed(labels: Sequence[str]) -> str:
    shown = [display_name(label, 60) for label in labels[:4]]
    if len(labels) > 4:
        shown = [*shown[:3], f"{significant(len(labels) - 3)} others"]
    return listed(shown)
