"""Tables 6 and 7 of the excitable-neuron paper, beside the printed figures."""

from collections.abc import Iterator, Sequence

import numpy as np

from unnerve.papers.deepsensor_faults.comparisons import Figure, each_seed
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits, Hunted
from unnerve.papers.deepsensor_faults.tables import alike, percent, share
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table

__all__ = ["errors", "kinds", "mean_of", "tables_of"]

_SPEAKERS = 60
_METHODS = ("DeepXplore", "DLFuzz", "DeepHunter", "excitable")
# Test errors of 4,000 seeds, and categories per 1,000 of them although there are 4,000.
_TABLE_6 = {
    "resnet34": ((15_716, 16_962, 17_314, 18_550), (2.766, 3.194, 3.065, 3.997)),
    "deep_speaker": ((14_793, 16_034, 16_787, 18_016), (3.012, 3.721, 3.684, 4.250)),
}
# Test errors of 1,000 inputs (Deep Speaker).
_TABLE_7 = {
    "underfitted": (762, 815, 810, 983),
    "sound": (739, 811, 827, 900),
    "overfitted": (744, 800, 823, 967),
}
# Deep Speaker decides on the way of training, in the region in which noise alone does not succeed.
_TRAINED_BADLY = ("underfitted", "overfitted")


def tables_of(results: Sequence[Hunted]) -> Iterator[Table]:
    """Yield every table that has rows."""
    yield from (table for table in (_table_6(results), _table_7(results)) if table.rows)


def errors(hits: Hits) -> BoundedCounts:
    """Return the distinct failing inputs of each seed.

    What is possible, one for each query, is never near: the most that was found of a seed stands for it.
    """
    return BoundedCounts(np.array(hits.errors, dtype=float), float(max(1, *hits.errors)))


def kinds(hits: Hits) -> BoundedCounts:
    """Return the distinct wrong classes of each seed, of all speakers but one."""
    return BoundedCounts(np.array(hits.kinds, dtype=float), _SPEAKERS - 1)


def mean_of(results: Sequence[Hunted], method: str, figure: Figure) -> Interval:
    """Return a figure per seed, with its interval over networks and seeds."""
    found = each_seed(results, method, figure)
    assert found is not None
    return found


def _table_6(results: Sequence[Hunted]) -> Table:
    rows = []
    for (network, kind, region), some in alike(results).items():
        short = network.partition(":")[0]
        if kind != "sound":
            continue
        for method in some[0].rows:
            printed = _printed(short, method)
            rows.append(
                (
                    f"{short}, {region}",
                    str(len(some)),
                    _accuracy(some),
                    method,
                    percent(share(some, method)),
                    _around(mean_of(some, method, errors), 1) + (f" [{printed[0] / 4000:.1f}]" if printed else ""),
                    _around(mean_of(some, method, kinds), 2) + (f" [{printed[1]:.2f}]" if printed else ""),
                )
            )
    columns = (
        *("network, region", "networks", "accuracy", "method", "seeds broken, %"),
        *("distinct errors per seed [printed]", "categories per seed [printed]"),
    )
    return Table("Table 6: adversarial inputs, sound networks", columns, tuple(rows))


def _table_7(results: Sequence[Hunted]) -> Table:
    groups = alike(results)
    decided = {(network, region) for network, kind, region in groups if kind in _TRAINED_BADLY}
    rows = []
    for (network, kind, region), some in groups.items():
        if (network, region) not in decided:
            continue
        printed = dict(zip(_METHODS, _TABLE_7[kind], strict=True))
        cells = [
            percent(share(some, name)) + (f" [{printed[name] / 10:.0f}]" if name in printed else "")
            for name in some[0].rows
        ]
        short = network.partition(":")[0]
        rows.append((f"{short}, {kind}, {region}", str(len(some)), _accuracy(some), *cells))
    methods = tuple(results[0].rows) if results else ()
    title = "Table 7: share of the seeds, in percent, that are broken [printed: of 1,000]"
    return Table(title, ("network, training, region", "networks", "accuracy", *methods), tuple(rows))


def _printed(network: str, method: str) -> tuple[int, float] | None:
    if method not in _METHODS or network not in _TABLE_6:
        return None
    place = _METHODS.index(method)
    every, categories = _TABLE_6[network]
    return every[place], categories[place]


def _accuracy(results: Sequence[Hunted]) -> str:
    return f"{100 * float(np.mean([one.accuracy for one in results])):.1f}"


def _around(value: Interval, digits: int) -> str:
    return f"{value.mean:.{digits}f} ({value.low:.{digits}f} to {value.high:.{digits}f})"
