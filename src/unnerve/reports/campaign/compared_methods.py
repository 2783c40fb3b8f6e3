"""The methods of a report: of one campaign, or of several side by side; only like is compared with like."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import StoredPlan
from unnerve.campaign.tally import Shortage, Tally
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import Difference, differences, ranked
from unnerve.studies.intervals.interval import Interval

__all__ = [
    "ComparedMethod",
    "compared_methods",
    "conditions",
    "method_differences",
    "method_shortages",
    "task",
    "unlike",
]

_TASK = ("model", "seeds", "region", "kind of error")


@dataclass(frozen=True, eq=False)
class ComparedMethod:
    """One method of one campaign.

    Parameters
    ----------
    label : str
        Distinct on the page.
    campaign : int
        Whose it is.
    tally : Tally
    counts : Counts
    seconds : float
    intervals : dict of str to Interval
        Empty if nothing was hunted.
    """

    label: str
    campaign: int
    tally: Tally
    counts: Counts
    seconds: float
    intervals: dict[str, Interval]


def compared_methods(campaigns: Sequence[Campaign]) -> tuple[ComparedMethod, ...]:
    """Return all methods that were tried, those that broke more seeds first; unlike campaigns one after the other."""
    found = {
        label: ComparedMethod(label, number, one, one.counts(), campaign.seconds[own], campaign.intervals[own])
        for number, (campaign, labels) in enumerate(zip(campaigns, _labels(campaigns), strict=True))
        for (own, one), label in zip(campaign.tallies.items(), labels, strict=True)
    }
    return tuple(found[label] for like in _alike(campaigns, tuple(found.values())) for label in ranked(like))


def method_shortages(campaigns: Sequence[Campaign]) -> dict[str, Shortage]:
    """Return what methods lacked that had too few queries for one step, by label."""
    return {
        label: one.shortage
        for campaign, labels in zip(campaigns, _labels(campaigns), strict=True)
        for one, label in zip(campaign.tallies.values(), labels, strict=True)
        if one.shortage is not None
    }


def method_differences(campaigns: Sequence[Campaign], methods: Sequence[ComparedMethod]) -> tuple[Difference, ...]:
    """Return the differences between methods that had the same model, seeds, region, kind of error and budget."""
    classes = {one.label: len(campaigns[one.campaign].header["classes"]) for one in methods}
    return tuple(one for like in _alike(campaigns, methods) for one in differences(like, classes[next(iter(like))]))


def conditions(plan: StoredPlan) -> dict[str, str]:
    """Return what decides how hard a hunt is, by name; methods are compared where all of it is equal."""
    return {
        "model": plan.model.hash,
        "seeds": plan.data.hash,
        # Descriptions, not texts: two spellings of one region must not keep methods from being compared.
        "region": json.dumps(dict(plan.region.described), sort_keys=True),
        "kind of error": json.dumps(dict(plan.oracle.described), sort_keys=True),
        "budget": json.dumps([plan.queries, plan.again, plan.keep_going]),
        "rounding": json.dumps([plan.quantised, plan.minimum_margin]),
    }


def task(plan: StoredPlan) -> tuple[str, ...]:
    """Return what a sentence such as "within ±0.1, this model failed on 3 of 12" is about."""
    own = conditions(plan)
    return tuple(own[name] for name in _TASK)


def unlike(campaigns: Sequence[Campaign]) -> tuple[str, ...]:
    """Return in what campaigns differ, so that nothing can be said of their methods' difference; mostly nothing."""
    every = [conditions(one.plan) for one in campaigns]
    return tuple(name for name in every[0] if len({one[name] for one in every}) > 1)


def _alike(campaigns: Sequence[Campaign], methods: Sequence[ComparedMethod]) -> list[dict[str, Tally]]:
    """Return the tallies that may be compared, by label, for every set of conditions."""
    groups: dict[str, dict[str, Tally]] = {}
    for one in methods:
        groups.setdefault(str(conditions(campaigns[one.campaign].plan)), {})[one.label] = one.tally
    return list(groups.values())


def _labels(campaigns: Sequence[Campaign]) -> list[list[str]]:
    """Return each campaign's labels, with the folder's name, or the whole path, where they clash."""
    named = [list(one.tallies) for one in campaigns]
    places: tuple[Callable[[str], str], ...] = (lambda path: PurePath(path).name, str)
    for place in places:
        every = [label for labels in named for label in labels]
        if len(set(every)) == len(every):
            break
        named = [
            [
                f"{own} ({place(one.store.path)})" if every.count(label) > 1 else label
                for own, label in zip(one.tallies, labels, strict=True)
            ]
            for one, labels in zip(campaigns, named, strict=True)
        ]
    return named
