"""Arena: methods side by side, from the same seeds, in the same region, with the same budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unnerve.campaign.tally import SeedTally, Tally
from unnerve.core.data.provenance import called
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import several
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.embedding import embedding_after
from unnerve.studies.campaign.seed_figures import seed_figures
from unnerve.studies.cover.cover_campaign import coverage_after
from unnerve.studies.cover.settings import CoverageSettings
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt.deadlines import answers_awaited
from unnerve.studies.hunt.hunt import CampaignRequest, hunters_text, run_campaign
from unnerve.studies.hunt.settings import HuntSettings, PatternSettings, RunSettings
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.interval import Interval
from unnerve.subjects.joined import joined

__all__ = ["Difference", "arena", "differences", "ranked"]


@dataclass(frozen=True)
class Difference:
    """How much more one method found than another, from the same seeds.

    Parameters
    ----------
    better, other : str
        Labels of two methods.
    seeds_broken, error_categories, errors : Interval
        Mean difference per seed with its 95 % interval, over seeds in pairs; it is significant if the interval leaves
        zero out.
    """

    better: str
    other: str
    seeds_broken: Interval
    error_categories: Interval
    errors: Interval


@flat(queries=1000)
def arena(
    model: Any,
    data: Any,
    methods: str | Sequence[Any] = "random,pgd,guided",
    out: str | Path = "runs/arena",
    *,
    settings: HuntSettings,
    pattern: PatternSettings,
    dropout: DropoutSettings,
    coverage: CoverageSettings,
    run: RunSettings,
) -> Campaign:
    """Put methods side by side.

    Every method has ``queries`` queries per seed; one that ends earlier starts again, with other random numbers.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    methods : str, or sequence of str or Hunter
        Hunters with their settings; the same one may stand there twice with different settings.
    out : str
        Folder of the campaign.
    settings : HuntSettings
        What to hunt for; its fields are given as keywords, as for :func:`unnerve.hunt`. ``queries`` is 1,000 per seed
        and method if nothing else is said.
    pattern : PatternSettings
        Inputs of uncommon confidence and uncertainty to look for, as for :func:`unnerve.hunt`.
    dropout : DropoutSettings
        Of the draws, as for :func:`unnerve.hunt`.
    coverage : CoverageSettings
        What coverage to measure afterwards, as for :func:`unnerve.hunt`.
    run : RunSettings
        How to run it; its fields are given as keywords, as for :func:`unnerve.hunt`.

    Returns
    -------
    Campaign
        ``rows()`` are the figures of the methods; :func:`differences` compares their ``tallies``.

    Examples
    --------
    >>> import unnerve
    >>> side_by_side = unnerve.arena("zoo:lenet5", "mnist5k", "random,pgd", "runs/arena", queries=200, inputs=20)
    >>> [(row["method"], row["seeds_broken"]) for row in side_by_side.rows()]
    """
    subject, whole = joined(model, data)
    cover = coverage_after(subject, whole, coverage, bool(run.progress))
    embed = embedding_after(subject, whole, coverage.embed)
    named = several(methods)
    call = called(arena, {"methods": hunters_text(named), "out": str(out)}, settings, pattern, dropout, coverage)
    request = CampaignRequest(named, str(out), again=True, call=call, pattern=pattern, dropout=dropout)
    campaign = run_campaign(subject, whole, request, settings, run)
    with answers_awaited(run):
        cover(campaign)
        embed(campaign)
    return campaign


def ranked(tallies: Mapping[str, Tally]) -> list[str]:
    """Return the methods' labels, those that broke more seeds first, then those that found more categories.

    Methods with too few queries for one step were not tried, and have no rank.
    """
    counts = {label: one.counts() for label, one in tallies.items() if one.shortage is None}
    # Not by errors: a method that repeats one failing input a hundred times has found one way to fail.
    return sorted(counts, key=lambda one: (-counts[one].seeds_broken, -counts[one].error_categories))


def differences(tallies: Mapping[str, Tally], classes: int = 0) -> list[Difference]:
    """Compare every two methods, over the seeds that both have hunted, in the order of :func:`ranked`.

    Parameters
    ----------
    tallies : dict of str to Tally
        What each method found: ``campaign.tallies``, or those of several campaigns with the same seeds.
    classes : int
        How many there are, which bounds the kinds of errors of a seed; 0 if that is not known.
    """
    order = ranked(tallies)
    seeds = {label: _by_id(one.seeds) for label, one in tallies.items()}
    pairs = [(better, other) for place, better in enumerate(order) for other in order[place + 1 :]]
    compared = [_difference(better, other, seeds, classes) for better, other in pairs]
    return [one for one in compared if one is not None]


def _by_id(seeds: Sequence[SeedTally]) -> dict[str, SeedTally]:
    return {seed.id: seed for seed in seeds if seed.failed is None}


def _difference(better: str, other: str, seeds: dict[str, dict[str, SeedTally]], classes: int) -> Difference | None:
    common = [name for name in seeds[better] if name in seeds[other]]
    if not common:
        return None
    first, second = (seed_figures([seeds[label][name] for name in common], classes) for label in (better, other))
    return Difference(better, other, **{name: count_difference(first[name], second[name]) for name in first})
