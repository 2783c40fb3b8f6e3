"""Figures of a campaign at a glance, each with what is good and what is bad."""

import numpy as np

from unnerve.campaign.counts import Counts
from unnerve.core.naming.command_text import number_text
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.decibels import decibels_below
from unnerve.reports.campaign.verdict import tasks
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.cards import Card, accuracy_card
from unnerve.reports.parts.numbers import count, duration, percent, percent_between, significant
from unnerve.reports.parts.regions import change_text, norm_name, radius_text
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.intervals.proportion import proportion

__all__ = ["accuracy", "campaign_cards", "failing", "kinds"]

_TASKS = 4


def campaign_cards(evidence: Evidence) -> tuple[Card, ...]:
    """Return the report's cards."""
    total = Counts.total(method.counts for method in evidence.methods)
    return (
        _broken(evidence),
        _change(evidence),
        _kinds(evidence),
        _accuracy(evidence),
        _queries(total),
        _time(evidence, total),
    )


def accuracy(evidence: Evidence) -> Accuracy | None:
    """Return the accuracy on the inputs looked at for seeds; None if unknown, or if campaigns differ in it.

    Campaigns of one model on one data set looked at the same inputs, which count once: the longest look.
    """
    known = [one.accuracy for one in evidence.campaigns]
    if None in known or len({(one.plan.model.hash, one.plan.data.name) for one in evidence.campaigns}) > 1:
        return None
    return max((one for one in known if one is not None), key=lambda one: one.inputs)


def kinds(evidence: Evidence) -> int:
    """Return the number of distinct pairs of a seed and a wrong class, whatever the method."""
    return len(np.unique(np.stack([evidence.found.seed, evidence.found.after]), axis=1).T)


def failing(evidence: Evidence) -> str:
    """Return what seeds are called from which something was found, in the word of the headline."""
    return f"{evidence.noun} that fail" if evidence.of_errors else "seeds reached"


def _accuracy(evidence: Evidence) -> Card:
    name = f"accuracy on the {evidence.noun} looked at"
    return accuracy_card(accuracy(evidence), name, "seeds")


def _broken(evidence: Evidence) -> Card:
    every = [task for task in tasks(evidence) if task.hunted]
    if not every:
        state = "no method had the queries for one step" if evidence.shortages else "nothing has been hunted yet"
        return Card("-", failing(evidence), state, "broken")
    shares, name = sorted(task.broken / task.hunted for task in every), failing(evidence)
    if len(every) > 1:
        # The same inputs may be hunted in several regions: pooled, their interval would be too narrow.
        shown = "; ".join(f"{task.name}: {count(task.broken)} of {count(task.hunted)}" for task in every[:_TASKS])
        more = f"; and {count(len(every) - _TASKS)} more" if len(every) > _TASKS else ""
        figure = " to ".join(dict.fromkeys(percent(share) for share in (shares[0], shares[-1])))
        return Card(figure, name, f"{shown}{more}; 0 is best for the model", "broken", _tone(evidence, shares[-1]))
    interval = percent_between(*proportion(every[0].broken, every[0].hunted).ci95)
    note = f"{count(every[0].broken)} of {count(every[0].hunted)}; 0 is best for the model; 95 % interval {interval}"
    return Card(percent(shares[0]), name, note, "broken", _tone(evidence, shares[0]))


def _tone(evidence: Evidence, share: float) -> str:
    # Inputs of a pattern that were reached need not be errors.
    return "bad" if share > 0 and evidence.of_errors else ""


def _kinds(evidence: Evidence) -> Card:
    found, hunted = kinds(evidence), len(evidence.seeds)
    possible = _possible_kinds(evidence)
    what = "kinds of errors" if evidence.of_errors else "answers"
    name = f"{what}, of {count(possible)} possible" if possible else what
    classes = "wrong class" if found == hunted else "wrong classes"
    each = f"{significant(found / hunted)} {classes} per seed; " if hunted else ""
    return Card(count(found), name, f"{each}0 is best for the model", "kinds")


def _possible_kinds(evidence: Evidence) -> int:
    """Return how many kinds there could be: every other class, or the target, from every seed; 0 if unknown."""
    if not all(class_names(one) for one in evidence.campaigns):
        return 0
    # Reversed, so that of the campaigns of one task the first one stays in the dictionary.
    first = dict(zip(reversed(evidence.tasks), reversed(evidence.campaigns), strict=True))
    wrong = {task: len(class_names(one)) - 1 if one.plan.oracle.target is None else 1 for task, one in first.items()}
    return sum(wrong[task] for task, _ in evidence.seeds)


def _change(evidence: Evidence) -> Card:
    region = evidence.campaigns[0].plan.region
    limit = region.decibels
    smallest = evidence.smallest_changes()
    broken = smallest[np.isfinite(smallest)]
    measure = norm_name(region) if limit is None else "dB below the clip"
    name = f"smallest change that breaks a seed, median {measure}"
    if not len(broken):
        return Card("-", name, "needs at least one error", "change")
    over = f"over {count(len(broken), 'broken seeds')}"
    if limit is not None:
        quieter = np.median(decibels_below(evidence, smallest)[np.isfinite(smallest)])
        note = f"{over}; smaller is better for the model; {number_text(limit)} dB allowed"
        return Card(f"{significant(float(quieter))} dB", name, note, "change")
    allowed = radius_text(region.size) if region.size is not None and region.norm in ("linf", "l2") else ""
    most = f"; {allowed} allowed" if allowed else ""
    note = f"{over}; larger is better for the model{most}"
    return Card(change_text(float(np.median(broken)), region), name, note, "change")


def _queries(total: Counts) -> Card:
    made = f"{count(total.queries, 'queries')} in all"
    if not total.errors:
        return Card("-", "queries per error", f"no error after {made}", "queries")
    note = f"{made}, {count(total.errors, 'errors')}; more is better for the model"
    return Card(significant(total.queries / total.errors), "queries per error", note, "queries")


def _time(evidence: Evidence, total: Counts) -> Card:
    seconds = sum(method.seconds for method in evidence.methods)
    speed = f"{significant(total.queries / seconds)} queries a second; " if seconds else ""
    return Card(duration(seconds), "of hunting", f"{speed}summed over workers", "time")
