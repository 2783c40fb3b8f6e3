"""The methods of a report: of one campaign, or of several side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from unnerve.campaign.counts import Counts
from unnerve.campaign.tally import Shortage, Tally
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import Difference, differences, ranked
from unnerve.studies.intervals.interval import Interval

__all__ = ["ComparedMethod", "compared_methods", "method_differences", "method_shortages"]


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
    """Return all methods that were tried, those that broke more seeds first."""
    found = {
        label: ComparedMethod(label, number, one, one.counts(), campaign.seconds[own], campaign.intervals[own])
        for number, (campaign, labels) in enumerate(zip(campaigns, _labels(campaigns), strict=True))
        for (own, one), label in zip(campaign.tallies.items(), labels, strict=True)
    }
    order = ranked({label: method.tally for label, method in found.items()})
    return tuple(found[label] for label in order)


def method_shortages(campaigns: Sequence[Campaign]) -> dict[str, Shortage]:
    """Return what the methods lacked that could not afford one step, by label."""
    return {
        label: one.shortage
        for campaign, labels in zip(campaigns, _labels(campaigns), strict=True)
        for one, label in zip(campaign.tallies.values(), labels, strict=True)
        if one.shortage is not None
    }


def method_differences(campaigns: Sequence[Campaign], methods: Sequence[ComparedMethod]) -> tuple[Difference, ...]:
    """Return the differences between methods that hunted the same data."""
    apart: list[Difference] = []
    for data in dict.fromkeys(one.plan.data.hash for one in campaigns):
        same = [method for method in methods if campaigns[method.campaign].plan.data.hash == data]
        apart += differences({method.label: method.tally for method in same})
    return tuple(apart)


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
