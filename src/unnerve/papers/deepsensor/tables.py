"""The tables and figures of the DeepSensor papers, from finished experiments, beside the printed figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unnerve.studies.intervals import student
from unnerve.studies.reproduction import Figure, Series, Table

__all__ = [
    "Result",
    "coverage_figure",
    "coverage_table",
    "error_table",
    "fitness_figure",
    "observation_figures",
    "optimiser_table",
    "overlap_table",
    "plane_figure",
    "sweep_figures",
    "time_table",
]

Result = Mapping[str, Any]
# DeepSensor in Table 3 of the second paper and, with the same figures, in Table II of the first: errors of 1,000 seeds
# and 20 iterations, and categories per seed.
_PRINTED = {
    "lenet1": (18_747, 3.168),
    "lenet4": (18_771, 2.868),
    "lenet5": (18_349, 2.906),
    "resnet20": (18_025, 2.024),
}
_WORDS = {"threshold": "threshold (lambda)", "enough": "share that is enough (epsilon)", "start": "start of the swarm"}


def _networks(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for one in results:
        found.setdefault(one["plan"]["network"], []).append(one)
    return found


def error_table(results: Sequence[Result]) -> Table:
    """Return Table 3 / II: per network and method, means over training seeds."""
    rows = []
    for network, ones in _networks(results).items():
        errors, kinds = _PRINTED[network]
        for method in ones[0]["rows"]:
            found = [one["rows"][method] for one in ones]
            picks = [row["errors_as_in_paper"] / (row["inputs"] * ones[0]["plan"]["iterations"]) for row in found]
            printed = method in ("sensitive neurons", "excitable neurons")
            rows.append(
                (
                    f"{network}, {method}",
                    str(len(ones)),
                    _told([row["seeds_broken"] / row["inputs"] for row in found]),
                    _told(picks) + (f" ({errors / 20_000:.3f})" if printed else ""),
                    _told([row["error_categories"] / row["inputs"] for row in found])
                    + (f" ({kinds})" if printed else ""),
                    f"{sum(row['queries'] / row['inputs'] for row in found) / len(found):,.0f}",
                )
            )
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


def coverage_table(results: Sequence[Result]) -> Table:
    """Return what is behind Figure 3 of the first paper."""
    rows = [
        (f"{one['plan']['network']}, {key}", f"{value:.4f}", *(f"{gains[name][key]:+.4f}" for name in _makers(gains)))
        for one in results
        for gains in (one["coverage"],)
        for key, value in gains["seeds"].items()
    ]
    makers = _makers(results[0]["coverage"]) if results else []
    return Table(
        "Coverage of the seeds, and gain by test inputs (L2 <= 1)",
        ("network, criterion", "seeds", *makers),
        tuple(rows),
    )


def optimiser_table(results: Sequence[Result]) -> Table:
    """Return errors and categories by search and objective."""
    rows = [
        (name, f"{row['errors_as_in_paper']:,}", f"{row['error_categories']:,}", f"{row['seeds_broken']:,}")
        for one in results
        for name, row in one["rows"].items()
    ]
    return Table(
        "Searches under the same objectives",
        ("search, objective", "failing picks", "categories", "broken"),
        tuple(rows),
    )


def overlap_table(results: Sequence[Result]) -> Table:
    """Return Figure 7 as numbers: neurons of the top ten that two methods share."""
    methods = results[0]["methods"] if results else []
    rows = [
        (name, *(f"{count:.1f}" for count in shared))
        for one in results
        for name, shared in zip(one["methods"], one["shared"], strict=True)
    ]
    return Table("Fig. 7: shared neurons of the ten most excitable ones", ("method", *methods), tuple(rows))


def time_table(results: Sequence[Result]) -> Table:
    """Return the time for 100 seeds, on the machine at hand."""
    rows = [
        (
            network,
            *(
                _told([100 * one["rows"][m]["seconds"] / one["rows"][m]["inputs"] for one in ones])
                for m in ones[0]["rows"]
            ),
        )
        for network, ones in _networks(results).items()
    ]
    methods = list(results[0]["rows"]) if results else []
    return Table("Seconds for 100 seeds, on the machine at hand", ("network", *methods), tuple(rows))


def plane_figure(result: Result) -> Figure:
    """Return Figure 1's t-SNE."""
    series = tuple(
        Series(name, tuple(x for x, _ in points), tuple(y for _, y in points), "points")
        for name, points in result["plane"].items()
    )
    return Figure(f"t-SNE of neuron values, silhouette {result['silhouette']:.2f}", "t-SNE 1", "t-SNE 2", series)


def observation_figures(result: Result) -> Iterator[Figure]:
    """Yield what Figure 1 says of one pair, of all pairs: how many neurons react to noise, and to corner cases."""
    for kind, pairs in result["counts"].items():
        largest = max(max(pair) for pair in pairs)
        width = 2 + largest // 8
        bins = range(0, 1 + largest, width)
        series = []
        for name, side in (("noise of the same size", 0), ("corner cases", 1)):
            inputs = [sum(start <= pair[side] < start + width for pair in pairs) for start in bins]
            series.append(Series(name, tuple(map(str, bins)), tuple(map(float, inputs)), "bars"))
        title = f"{result['plan']['network']}: {kind} neurons"
        yield Figure(title, f"neurons that react (this many, up to {width - 1} more)", "inputs", tuple(series))


def fitness_figure(result: Result) -> Figure:
    """Return Figure 3 of the second paper."""
    series = tuple(
        Series(name, tuple(float(step) for step in range(len(curve))), tuple(curve))
        for name, curve in result["curves"].items()
    )
    title = f"{result['plan']['network']}: fitness of the swarm's best"
    return Figure(title, "iteration", "reacting neurons (share)", series)


def coverage_figure(result: Result) -> Figure:
    """Return Figure 3 of the first paper."""
    gains = result["coverage"]
    keys = [key for key in gains["seeds"] if key != "tknp"]
    series = tuple(
        Series(name, tuple(keys), tuple(gains[name][key] for key in keys), "bars") for name in _makers(gains)
    )
    return Figure(f"{result['plan']['network']}: coverage gained, L2 <= 1", "criterion", "gain (share)", series)


def sweep_figures(result: Result) -> Iterator[Figure]:
    """Yield Figures 5, 10 and 11: a bar per value, because the scales of the two kinds of neurons differ."""
    for setting, words in _WORDS.items():
        for name, rows in result[setting].items():
            values = tuple(value for value, _ in rows)
            bars = Series("failing picks", values, tuple(float(row["errors_as_in_paper"]) for _, row in rows), "bars")
            kinds = Series("categories", values, tuple(float(row["error_categories"]) for _, row in rows), "bars")
            yield Figure(f"{result['plan']['network']}, {name} neurons: {words}", words, "count", (bars, kinds))


def _makers(gains: Mapping[str, Any]) -> list[str]:
    return [name for name in gains if name != "seeds"]


def _told(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3g}"
    mean = student(list(values))
    return f"{mean.mean:.3g} \u00b1 {round(mean.high - mean.mean, 6):.2g}"
