"""The tables on speech as figures: the paper draws none."""

from collections.abc import Iterator, Sequence

from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted
from unnerve.papers.deepsensor_faults.tables import alike, share
from unnerve.papers.deepsensor_speech.tables import kinds, mean_of
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Figure, Series

__all__ = ["figures_of"]


def figures_of(results: Sequence[Hunted]) -> Iterator[Figure]:
    """Yield the figures, from finished experiments."""
    groups = {
        f"{network.partition(':')[0]}, {kind}, {region}": some
        for (network, kind, region), some in alike(results).items()
    }
    if not groups:
        return
    methods = tuple(results[0].rows)
    broken = [_bars(one, groups, [share(some, one) for some in groups.values()]) for one in methods]
    yield Figure("Clips broken", "network, training, region", "share of the seeds", tuple(broken))
    found = [_bars(one, groups, [mean_of(some, one, kinds) for some in groups.values()]) for one in methods]
    yield Figure("Kinds of errors", "network, training, region", "categories per seed", tuple(found))


def _bars(name: str, groups: dict[str, list[Hunted]], values: Sequence[Interval]) -> Series:
    return Series(name, tuple(groups), tuple(one.mean for one in values), "bars", tuple(one.ci95 for one in values))
