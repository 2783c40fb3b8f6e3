"""Arena: methods side by side, from the same seeds, in the same region, with the same budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unnerve.campaign.campaign_run import Engine
from unnerve.campaign.engines.local import Local
from unnerve.campaign.tally import SeedTally
from unnerve.studies.campaign import Campaign
from unnerve.studies.hunt import HuntSettings, Progress, RunSettings, run_campaign
from unnerve.studies.intervals import Interval, bootstrap

__all__ = ["Difference", "arena", "differences", "ranked"]


@dataclass(frozen=True)
class Difference:
    """How much more one method found than another, from the same seeds.

    Parameters
    ----------
    better, other : str
        Labels of two methods.
    seeds_broken, error_categories, errors : Interval
        Mean difference per seed with its 95 % interval (paired bootstrap over seeds); it is significant if the
        interval does not hold zero.
    """

    better: str
    other: str
    seeds_broken: Interval
    error_categories: Interval
    errors: Interval


def arena(
    model: Any,
    data: Any,
    methods: Sequence[Any],
    out: str = "runs/arena",
    *,
    queries: int = 1000,
    region: str | None = None,
    oracle: str | None = None,
    target: int | None = None,
    inputs: int = 100,
    stop_at_first: bool = False,
    quantised: bool = False,
    seed: int = 0,
    shard: int = 50,
    reference: Any = None,
    engine: Engine | None = None,
    resume: bool = False,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Campaign:
    """Put methods side by side.

    Every method has ``queries`` queries per seed; one that ends earlier starts again, with other random numbers.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    methods : sequence of str or Hunter
        Hunters with their settings; the same one may stand there twice with different settings.
    out : str
        Folder of the campaign.
    queries : int
        Per seed and method.
    region, oracle, target, inputs, stop_at_first, quantised, seed, shard, reference, engine, resume, seconds, progress
        As for :func:`unnerve.hunt`.

    Returns
    -------
    Campaign
        ``rows()`` are the figures of the methods; :func:`differences` compares them.
    """
    hunting = HuntSettings(
        region=region,
        oracle=oracle,
        target=target,
        inputs=inputs,
        queries=queries,
        again=True,
        stop_at_first=stop_at_first,
        quantised=quantised,
        seed=seed,
        shard=shard,
        reference=reference,
    )
    return run_campaign(model, data, methods, out, hunting, RunSettings(engine or Local(), resume, seconds, progress))


def ranked(campaign: Campaign) -> list[str]:
    """Return the methods' labels, those that broke more seeds first, then those that found more categories."""
    counts = {label: one.counts() for label, one in campaign.tallies.items()}
    return sorted(counts, key=lambda one: (-counts[one].seeds_broken, -counts[one].error_categories))


def differences(campaign: Campaign) -> list[Difference]:
    """Compare every two methods, over the seeds that both have hunted, in the order of :func:`ranked`."""
    order = ranked(campaign)
    seeds = {label: _by_id(one.seeds) for label, one in campaign.tallies.items()}
    pairs = [(better, other) for place, better in enumerate(order) for other in order[place + 1 :]]
    compared = [_difference(better, other, seeds, campaign.plan.seed) for better, other in pairs]
    return [one for one in compared if one is not None]


def _by_id(seeds: Sequence[SeedTally]) -> dict[str, SeedTally]:
    return {seed.id: seed for seed in seeds if seed.failed is None}


def _difference(better: str, other: str, seeds: dict[str, dict[str, SeedTally]], seed: int) -> Difference | None:
    common = [name for name in seeds[better] if name in seeds[other]]
    if not common:
        return None
    found = np.array([[_figures(seeds[label][name]) for label in (better, other)] for name in common], dtype=float)
    apart = found[:, 0] - found[:, 1]
    return Difference(
        better, other, *(bootstrap(lambda rows: rows.mean(axis=1), apart[:, place], seed) for place in range(3))
    )


def _figures(one: SeedTally) -> tuple[int, int, int]:
    return bool(one.errors), len(one.kinds), len(one.errors)
