"""Figures of a campaign at a glance, each with what is good and what is bad."""

import numpy as np

from unnerve.campaign.counts import Counts
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.numbers import count, duration, percent, percent_between, significant
from unnerve.reports.parts.regions import radius_text
from unnerve.studies.intervals.proportion import proportion

__all__ = ["accuracy", "campaign_cards", "kinds", "possible_kinds"]


_NORMS = {"linf": "L\u221e", "l2": "L2"}


def campaign_cards(evidence: Evidence) -> tuple[Card, ...]:
    """Return the report's cards."""
    total = Counts.total(method.counts for method in evidence.methods)
    return (
        _accuracy(evidence),
        _broken(evidence),
        _kinds(evidence),
        _change(evidence),
        _queries(total),
        _time(evidence, total),
    )


def accuracy(evidence: Evidence) -> tuple[int, int] | None:
    """Return how many of the inputs looked at for seeds were classified correctly: (right, looked at).

    None where labels are missing, or where correctly classified inputs were left out because they were of the
    target class already.
    """
    plans = {(one.plan.model.hash, one.plan.data.hash): one.plan for one in evidence.campaigns}.values()
    looked_at = [plan.data.details.get("looked_at") for plan in plans]
    targeted = any(plan.oracle.target is not None for plan in plans)
    if targeted or None in looked_at or not len(evidence.truths) or (evidence.truths < 0).any():
        return None
    return sum(plan.seeds for plan in plans), sum(int(number) for number in looked_at if number is not None)


def kinds(evidence: Evidence) -> int:
    """Return the number of distinct pairs of a seed and a wrong class, whatever the method."""
    return len(np.unique(np.stack([evidence.found.seed, evidence.found.after]), axis=1).T)


def _accuracy(evidence: Evidence) -> Card:
    name = f"accuracy on the {evidence.noun} looked at"
    known = accuracy(evidence)
    if known is None:
        return Card("unknown", name, "needs data with labels, and a hunt without a target", "seeds")
    right, total = known
    interval = percent_between(*proportion(right, total).ci95)
    note = f"{count(right)} of {count(total)}; 100 % is best; 95 % interval {interval}"
    return Card(percent(right / total), name, note, "seeds")


def _broken(evidence: Evidence) -> Card:
    hunted, broken = len(evidence.seeds), int(evidence.broken.sum())
    if not hunted:
        state = "no method could afford one step" if evidence.shortages else "nothing has been hunted yet"
        return Card("-", "seeds broken", state, "broken")
    interval = percent_between(*proportion(broken, hunted).ci95)
    note = f"{count(broken)} of {count(hunted)}; 0 is best for the model; 95 % interval {interval}"
    return Card(percent(broken / hunted), evidence.finding_words[0], note, "broken")


def _kinds(evidence: Evidence) -> Card:
    found, hunted = kinds(evidence), len(evidence.seeds)
    possible = possible_kinds(evidence)
    what = "kinds of errors" if evidence.of_errors else "answers"
    name = f"{what}, of {count(possible)} possible" if possible else what
    each = f"{significant(found / hunted)} wrong classes per seed; " if hunted else ""
    return Card(count(found), name, f"{each}0 is best for the model", "kinds")


def possible_kinds(evidence: Evidence) -> int:
    """Return how many kinds there could be: every other class, or the target, from every seed; 0 if unknown."""
    if not all(class_names(one) for one in evidence.campaigns):
        return 0
    first = dict(zip(reversed(evidence.tasks), reversed(evidence.campaigns), strict=True))
    wrong = {task: len(class_names(one)) - 1 if one.plan.oracle.target is None else 1 for task, one in first.items()}
    return sum(wrong[task] for task, _ in evidence.seeds)


def _change(evidence: Evidence) -> Card:
    region = evidence.campaigns[0].plan.region
    norm = _NORMS.get(region.norm, "L2")
    name = f"smallest change that breaks a seed, median {norm}"
    smallest = evidence.smallest_changes()
    broken = smallest[np.isfinite(smallest)]
    if not len(broken):
        return Card("-", name, "needs at least one error", "change")
    allowed = radius_text(region.size) if region.size is not None and region.norm in _NORMS else ""
    median = float(np.median(broken))
    in_steps = allowed.endswith("/255")
    figure = f"{significant(255 * median)}/255" if in_steps else significant(median)
    most = f"; {allowed} allowed" if allowed else ""
    return Card(figure, name, f"over the {count(len(broken))} broken; larger is better for the model{most}", "change")


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
