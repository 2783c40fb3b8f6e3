"""Arena: methods side by side, from the same seeds, in the same region, with the same budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unnerve.campaign.tally import SeedTally
from unnerve.core.errors import InvalidSetting
from unnerve.core.keywords import flat
from unnerve.studies.campaign import Campaign
from unnerve.studies.hunt import run_campaign
from unnerve.studies.hunt_settings import HuntSettings, RunSettings
from unnerve.studies.intervals import Interval, bootstrap

__all__ = ["Difference", "arena", "differences", "method_list", "ranked"]


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


@flat(queries=1000)
def arena(
    model: Any,
    data: Any,
    methods: str | Sequence[Any] = "random,pgd,guided",
    out: str = "runs/arena",
    *,
    settings: HuntSettings,
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
    run : RunSettings
        How to run it; its fields are given as keywords, as for :func:`unnerve.hunt`.

    Returns
    -------
    Campaign
        ``rows()`` are the figures of the methods; :func:`differences` compares them.

    Examples
    --------
    >>> import unnerve
    >>> side_by_side = unnerve.arena("zoo:lenet5", "mnist5k", "random,pgd", "runs/arena", queries=200, inputs=20)
    >>> [(row["method"], row["seeds_broken"]) for row in side_by_side.rows()]
    """
    named = method_list(methods) if isinstance(methods, str) else methods
    return run_campaign(model, data, named, out, settings, run, again=True)


def method_list(text: str) -> list[str]:
    """Split ``pgd:steps=10,step=0.01,random`` into methods: what stands as key=value belongs to the one before."""
    methods: list[str] = []
    for piece in _pieces(text):
        if methods and "=" in piece.partition(":")[0].partition("(")[0]:
            methods[-1] += f",{piece}"
        else:
            methods.append(piece)
    if not methods:
        raise InvalidSetting("methods must name at least one; unnerve methods lists them")
    doubled = next((method for place, method in enumerate(methods) if method in methods[:place]), None)
    if doubled is not None:
        raise InvalidSetting(f"'{doubled}' is named twice")
    return methods


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


def _pieces(text: str) -> list[str]:
    """Split at commas that stand outside parentheses."""
    pieces, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece.strip() for piece in pieces if piece.strip()]


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
