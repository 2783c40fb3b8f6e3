"""The tables of the DeepSensor papers, from finished experiments, beside the printed figures."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from unnerve.papers.deepsensor.experiments.coverage import Coverage
from unnerve.papers.deepsensor.experiments.errors import Errors
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.overlap import Overlap
from unnerve.studies.intervals.student import mean_ci95
from unnerve.studies.reproduction import Table

__all__ = ["coverage_table", "error_table", "optimiser_table", "overlap_table", "time_table"]


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
        _error_row(network, method, some) for network, some in _by_network(results).items() for method in some[0].rows
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


def coverage_table(results: Sequence[Coverage]) -> Table:
    """Return what is behind Figure 3 of the first paper."""
    rows = [
        (
            f"{one.plan.setup.network}, {key}",
            f"{value:.4f}",
            *(f"{gain[key]:+.4f}" for gain in one.gains.values()),
        )
        for one in results
        for key, value in one.seeds.items()
    ]
    makers = results[0].gains if results else ()
    return Table(
        "Coverage of the seeds, and gain by test inputs (L2 <= 1)",
        ("network, criterion", "seeds", *makers),
        tuple(rows),
    )


def optimiser_table(results: Sequence[Optimisers]) -> Table:
    """Return errors and categories by search and objective."""
    rows = [
        (name, f"{found.errors_as_in_paper:,}", f"{found.error_categories:,}", f"{found.seeds_broken:,}")
        for one in results
        for name, found in one.rows.items()
    ]
    return Table(
        "Searches under the same objectives",
        ("search, objective", "failing picks", "categories", "broken"),
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
    for network, some in _by_network(results).items():
        found = [[one.rows[method] for one in some] for method in some[0].rows]
        rows.append((network, *(_mean_text([100 * one.seconds / one.inputs for one in ones]) for ones in found)))
    methods = results[0].rows if results else ()
    return Table("Seconds for 100 seeds, on the machine at hand", ("network", *methods), tuple(rows))


def _by_network(results: Sequence[Errors]) -> dict[str, list[Errors]]:
    found: dict[str, list[Errors]] = {}
    for one in results:
        found.setdefault(one.plan.setup.network, []).append(one)
    return found


def _error_row(network: str, method: str, results: Sequence[Errors]) -> tuple[str, ...]:
    """Return a method's row; the results are one network's, of all training seeds."""
    found = [one.rows[method] for one in results]
    iterations = results[0].plan.setup.iterations
    printed = _PRINTED[network] if method in ("sensitive neurons", "excitable neurons") else None
    return (
        f"{network}, {method}",
        str(len(results)),
        _mean_text([one.seeds_broken / one.inputs for one in found], 1),
        _mean_text([one.errors_as_in_paper / (one.inputs * iterations) for one in found], 1)
        # Differs: shares, because the papers' 1,000 seeds and 20 iterations are not always those of the run.
        + (f" ({printed.errors / 20_000:.3f})" if printed else ""),
        _mean_text([one.error_categories / one.inputs for one in found])
        + (f" ({printed.categories_per_seed})" if printed else ""),
        f"{sum(one.queries / one.inputs for one in found) / len(found):,.0f}",
    )


def _mean_text(values: Sequence[float], most: float = inf) -> str:
    """Write a mean of figures from 0 to ``most``, and its interval if there are several."""
    around = mean_ci95(values, 0, most)
    return f"{sum(values) / len(values):.3g}" + (f" ({around[0]:.2g} to {around[1]:.2g})" if around else "")
