"""The tables of the DeepSensor papers, from finished experiments, beside the printed figures."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unnerve.papers._decimals import decimals
from unnerve.papers.deepsensor.experiments.coverage import NOISE, Coverage
from unnerve.papers.deepsensor.experiments.errors import Errors
from unnerve.papers.deepsensor.experiments.observation import NOISES, Observation
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.overlap import Overlap
from unnerve.papers.deepsensor.experiments.regions import Regions
from unnerve.papers.deepsensor.experiments.sweeps import Sweeps
from unnerve.papers.deepsensor.found import Found
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested
from unnerve.studies.reproduction import Table

__all__ = [
    "by_network",
    "coverage_table",
    "error_table",
    "observation_table",
    "optimiser_table",
    "overlap_table",
    "region_table",
    "sweep_table",
    "time_table",
]


class _Printed(NamedTuple):
    errors: int
    categories_per_seed: float


# DeepSensor in Table 3 of the second paper and, with the same figures, in Table II of the first: errors of 1,000 seeds
# and 20 iterations.
_PRINTED = {
    "lenet1": _Printed(18_747, 3.168),
    "lenet4": _Printed(18_771, 2.868),
    "lenet5": _Printed(18_349, 2.906),
    "resnet20": _Printed(18_025, 2.024),
}


def error_table(results: Sequence[Errors]) -> Table:
    """Return Table 3 / II: per network and method, means over training seeds."""
    rows = [
        _error_row(network, method, some) for network, some in by_network(results).items() for method in some[0].rows
    ]
    columns = (
        "network, method",
        "seeds of training",
        "broken",
        "failing picks",
        "categories per seed",
        "queries per seed",
    )
    return Table(
        "Table 3 / II: shares of seeds broken and of picks that fail, and categories per seed", columns, tuple(rows)
    )


def region_table(results: Sequence[Regions]) -> Table:
    """Return errors and categories over the radius of the region, of picks and of all particles."""
    rows = []
    for one in results:
        for name, row in one.rows.items():
            steps = one.plan.setup.iterations
            picks, every = row.per_seed("failing", steps), row.per_seed("all_failing", row.tried)
            rows.append(
                (
                    name,
                    f"{row.length:.1f}",
                    _interval(picks, steps),
                    _interval(row.per_seed("categories", 9)),
                    _interval(every, row.tried),
                    _interval(row.per_seed("all_categories", 9)),
                )
            )
    columns = (
        "method, linf radius",
        "L2 of the change",
        "failing picks",
        "categories of picks",
        "failing particles",
        "categories of all particles",
    )
    return Table("Errors over the size of the region (LeNet-5; printed 0.917 and 2.906 per seed)", columns, tuple(rows))


def observation_table(results: Sequence[Observation]) -> Table:
    """Return how many neurons react to noise of several sizes, and to corner cases."""
    rows = [
        (
            f"{one.plan.setup.network}, {kind} neurons",
            str(one.pairs),
            *(f"{values.mean():.1f} (L2 {length:.1f})" for values, length in zip(counts.T, one.lengths, strict=True)),
        )
        for one in results
        for kind, pairs in one.counts.items()
        for counts in (np.array(pairs, dtype=float),)
    ]
    columns = ("network, kind", "nines", *(f"noise, {name}" for name in NOISES), "corner cases")
    return Table("Fig. 1: neurons that react, on average", columns, tuple(rows))


def coverage_table(results: Sequence[Coverage]) -> Table:
    """Return what is behind Figure 3 of the first paper."""
    rows = []
    for one in results:
        for key, values in one.seeds.items():
            gains = [
                f"{np.mean(by[key]):+.5f}" + ("" if name == NOISE else f" ({_beside_noise(one.lead(name, key))})")
                for name, by in one.gains.items()
            ]
            rows.append((f"{one.plan.setup.network}, {key}", f"{np.mean(values):.4f}", *gains))
    makers = results[0].gains if results else ()
    title = "Coverage of a batch of seeds, and gain by test inputs (L2 <= 1), means and intervals over batches"
    return Table(title, ("network, criterion", "seeds", *makers), tuple(rows))


def sweep_table(results: Sequence[Sweeps]) -> Table:
    """Return failing picks by setting and value."""
    rows = [
        (f"{words}, {kind}", ", ".join(f"{one.value}: {_picks(one.found)}" for one in values))
        for result in results
        for words, sweep in (("lambda", result.threshold), ("epsilon", result.enough), ("start", result.start))
        for kind, values in sweep.items()
    ]
    return Table("Settings: failing picks per seed, with intervals over seeds", ("setting", "by value"), tuple(rows))


def _picks(found: Found) -> str:
    return _interval(found.spreads()["failing picks per seed"])


def optimiser_table(results: Sequence[Optimisers]) -> Table:
    """Return errors and categories by search and objective."""
    rows = [
        (name, f"{found.errors_as_in_paper:,}", _picks(found), f"{found.error_categories:,}", f"{found.seeds_broken:,}")
        for one in results
        for name, found in one.rows.items()
    ]
    return Table(
        "Searches under the same objectives, from equal starts",
        ("search, objective", "failing picks", "per seed", "categories", "broken"),
        tuple(rows),
    )


def overlap_table(results: Sequence[Overlap]) -> Table:
    """Return Figure 7 as numbers: neurons of the top ten that two methods share."""
    methods = results[0].methods if results else ()
    rows = [
        (name, *(f"{count:.1f}" for count in shared))
        for one in results
        for name, shared in zip(one.methods, one.shared, strict=True)
    ]
    return Table("Fig. 7: shared neurons of the ten most excitable ones", ("method", *methods), tuple(rows))


def time_table(results: Sequence[Errors]) -> Table:
    """Return the time for 100 seeds, on the machine at hand."""
    rows = []
    for network, some in by_network(results).items():
        found = [[one.rows[method] for one in some] for method in some[0].rows]
        rows.append((network, *(f"{np.mean([100 * one.seconds / one.inputs for one in ones]):.3g}" for ones in found)))
    methods = results[0].rows if results else ()
    return Table("Seconds for 100 seeds, on the machine at hand", ("network", *methods), tuple(rows))


def by_network(results: Sequence[Errors]) -> dict[str, list[Errors]]:
    """Return the results of each network, of all its training seeds."""
    found: dict[str, list[Errors]] = {}
    for one in results:
        found.setdefault(one.plan.setup.network, []).append(one)
    return found


def _error_row(network: str, method: str, results: Sequence[Errors]) -> tuple[str, ...]:
    """Return a method's row; the results are one network's, of all training seeds."""
    found = [one.rows[method] for one in results]
    iterations = results[0].plan.setup.iterations
    printed = _PRINTED[network] if method in ("sensitive neurons", "excitable neurons") else None
    broken = _interval(_counted([[int(count > 0) for count in one.failing] for one in found], 1))
    failing = _interval(_counted([one.failing for one in found], iterations), iterations)
    kinds = _interval(_counted([one.kinds for one in found], 9))
    return (
        f"{network}, {method}",
        str(len(results)) if results[0].plan.setup.recipe else "given",
        broken,
        # Differs: shares, because the papers' 1,000 seeds and 20 iterations are not always those of the run.
        failing + (f" [printed {printed.errors / 20_000:.3f}]" if printed else ""),
        kinds + (f" [printed {printed.categories_per_seed}]" if printed else ""),
        f"{sum(one.queries / one.inputs for one in found) / len(found):,.0f}",
    )


def _counted(values: Sequence[Sequence[int]], most: int) -> Interval:
    """Return a mean of counts up to ``most`` with its interval over networks and seeds."""
    found = nested([count_mean(BoundedCounts(np.array(own), most)) for own in values], 0, most)
    assert found is not None
    return found


def _interval(value: Interval, unit: float = 1) -> str:
    return f"{value.mean / unit:.3g} ({value.low / unit:.2g} to {value.high / unit:.2g})"


def _beside_noise(value: Interval | None) -> str:
    if value is None:
        return "beside noise the same in all batches"
    digits = decimals(value, 5)
    return f"more than noise by {value.mean:+.{digits}f}, {value.low:+.{digits}f} to {value.high:+.{digits}f}"
