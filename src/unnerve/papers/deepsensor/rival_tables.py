"""The columns of DeepXplore, DLFuzz and DeepHunter in the DeepSensor papers' tables, beside the printed figures."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unnerve.papers.deepsensor.experiments.coverage import NOISE
from unnerve.papers.deepsensor.experiments.rival_inputs import RivalInputs
from unnerve.papers.deepsensor.experiments.rivals import Rivals
from unnerve.papers.deepsensor.experiments.times import Times
from unnerve.papers.deepsensor.experiments.untrained_times import UntrainedTimes
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.intervals.student import scatter
from unnerve.studies.reproduction import Figure, Series, Table

__all__ = ["rival_figures", "rival_time_table", "rivals_table"]


class _Printed(NamedTuple):
    errors: int
    categories_per_seed: float


# Table 3 of the second paper and, with the same figures, Table II of the first: 1,000 seeds, 20 iterations.
_PRINTED = {
    "lenet1": {
        "DeepXplore": _Printed(17_528, 2.667),
        "DLFuzz": _Printed(17_490, 1.682),
        "DeepHunter": _Printed(18_124, 2.682),
        "DeepSensor": _Printed(18_747, 3.168),
    },
    "lenet4": {
        "DeepXplore": _Printed(18_474, 2.379),
        "DLFuzz": _Printed(16_809, 1.473),
        "DeepHunter": _Printed(18_420, 2.489),
        "DeepSensor": _Printed(18_771, 2.868),
    },
    "lenet5": {
        "DeepXplore": _Printed(18_076, 2.224),
        "DLFuzz": _Printed(16_914, 1.509),
        "DeepHunter": _Printed(18_323, 2.469),
        "DeepSensor": _Printed(18_349, 2.906),
    },
    "resnet20": {
        "DeepXplore": _Printed(16_723, 1.162),
        "DLFuzz": _Printed(15_989, 1.336),
        "DeepHunter": _Printed(17_384, 1.549),
        "DeepSensor": _Printed(18_025, 2.024),
    },
}
# Table VI of the first paper; section 7 of the second for excitable neurons.
_SECONDS = {
    "lenet5": {
        "sensitive neurons": 101.41,
        "excitable neurons": 259.7,
        "DeepXplore": 222.88,
        "DLFuzz": 178.61,
        "DeepHunter": 102.20,
    },
    "vgg16": {
        "sensitive neurons": 411.33,
        "excitable neurons": 1081.4,
        "DeepXplore": 1242.38,
        "DLFuzz": 987.46,
        "DeepHunter": 437.25,
    },
    "resnet50": {
        "sensitive neurons": 576.64,
        "excitable neurons": 1377.3,
        "DeepXplore": 1454.14,
        "DLFuzz": 1174.78,
        "DeepHunter": 624.30,
    },
}


def rivals_table(results: Sequence[Rivals], published: bool) -> Table:
    """Return Table 3 / II: all in one region with one budget, or each as it was published."""
    rows = []
    for one in results:
        network = one.plan.setup.network
        for name, found in (one.published if published else one.equal).items():
            printed = _PRINTED[network].get("DeepSensor" if name.endswith("neurons") else name)
            rows.append((f"{network}, {name}", *_figures(found, printed, published)))
    title = (
        "Table 3 / II: with rivals, each for 20 iterations where its release lets inputs go"
        if published
        else "Table 3 / II: with rivals, all in one region and with 1,000 queries for each seed"
    )
    columns = ("network, method", "region", "broken", "failing picks per seed", "categories per seed", "queries")
    return Table(title, columns, tuple(rows))


def _figures(found: Found, printed: _Printed | None, published: bool) -> tuple[str, ...]:
    failing = np.array(found.failing)
    picks = count_mean(BoundedCounts(failing, max(1, int(failing.max(initial=1)))))
    kinds = count_mean(BoundedCounts(np.array(found.kinds), 9))
    # The papers' count of errors is of 20 picks a seed: it stands beside where ours has about as many.
    errors = f" [printed {printed.errors / 1000:.1f}]" if printed and published else ""
    return (
        found.region,
        _interval(proportion(found.seeds_broken, found.inputs)),
        _interval(picks) + errors,
        _interval(kinds) + (f" [printed {printed.categories_per_seed}]" if printed else ""),
        f"{found.queries / found.inputs:,.0f}",
    )


def rival_time_table(results: Sequence[Times], untrained: Sequence[UntrainedTimes]) -> Table:
    """Return Table VI: processor seconds, which depend on the machine, beside the papers', on graphics cards."""
    rows = []
    for one in results:
        for name, values in one.queries.items():
            own = one.iterations.get(name)
            steps = "-" if own is None else f"{_seconds(own)} with {one.spent[name]:,.0f} queries"
            rows.append(
                (f"{one.plan.setup.network}, {name}", steps, _seconds(values), _printed_seconds(one.plan, name))
            )
    for other in untrained:
        for name, seconds in other.seconds.items():
            network = f"{other.plan.setup.network} with random weights"
            steps = f"{_rounded(seconds)} with {other.spent[name]:,.0f} queries"
            rows.append((f"{network}, {name}", steps, "-", _printed_seconds(other.plan, name)))
    columns = ("network, method", "20 iterations", "1,000 queries", "printed (V100, RTX 3090)")
    return Table("Table VI: processor seconds for 100 seeds, judging and storing included", columns, tuple(rows))


def _seconds(values: Sequence[float]) -> str:
    found = scatter(values, low=0)
    return f"{np.mean(values):.3g}" if found is None else _interval(found)


def _printed_seconds(plan: Plan, method: str) -> str:
    found = _SECONDS[plan.setup.network].get(method)
    return "-" if found is None else f"{found:g}"


def _rounded(seconds: float) -> str:
    return f"{float(f'{seconds:.3g}'):,.0f}" if seconds >= 100 else f"{seconds:.3g}"


def rival_figures(results: Sequence[RivalInputs]) -> Iterator[Figure]:
    """Yield Figure 3 of the first paper with all its bars, and its Figure 7, the second's Figure 8."""
    for one in results:
        network = one.plan.setup.network
        keys = tuple(one.seeds)
        leads = {name: [one.lead(name, NOISE, key) for key in keys] for name in one.gains if name != NOISE}
        bars = tuple(
            Series(
                name,
                tuple(key for key, lead in zip(keys, own, strict=True) if lead is not None),
                tuple(lead.mean for lead in own if lead is not None),
                "bars",
                tuple(lead.ci95 for lead in own if lead is not None),
            )
            for name, own in leads.items()
        )
        yield Figure(f"{network}: coverage gained, more than by noise, L2 <= 1", "criterion", "gain (share)", bars)
        points = tuple(
            Series(name, tuple(x for x, _ in where), tuple(y for _, y in where), "points")
            for name, where in one.plane.items()
        )
        yield Figure(f"{network}: t-SNE of neuron values, beside DeepHunter", "t-SNE 1", "t-SNE 2", points)


def _interval(value: Interval) -> str:
    low, high = (f"{end:.0f}" if end >= 100 else f"{end:.2g}" for end in (value.low, value.high))
    return f"{value.mean:.3g} ({low} to {high})"
