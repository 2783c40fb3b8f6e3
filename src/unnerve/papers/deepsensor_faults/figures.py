"""The figures of the DeepSensor papers on faulty training and repair."""

from collections.abc import Iterator

from unnerve.papers.deepsensor_faults.changes import change, like_networks
from unnerve.papers.deepsensor_faults.parts import Results
from unnerve.papers.deepsensor_faults.tables import alike, share
from unnerve.studies.reproduction import Figure, Series

__all__ = ["figures_of"]


def figures_of(results: Results) -> Iterator[Figure]:
    """Yield every figure, from finished experiments."""
    yield from _hunted(results)
    yield from _repairs(results)
    for one in results.swept:
        for setting, by_kind in one.rows.items():
            for kind, by_value in by_kind.items():
                shares = [hits.share() for hits in by_value.values()]
                bars = _bars(kind, tuple(by_value), [value.mean for value in shares], [one.ci95 for one in shares])
                title = f"{one.plan.setup.network}, {one.plan.kind}, {kind} neurons: {setting}"
                yield Figure(title, setting, "share of the seeds", (bars,))


def _hunted(results: Results) -> Iterator[Figure]:
    groups = alike(results.hunted)
    for network in dict.fromkeys(network for network, *_ in groups):
        own = {f"{kind}, {region}": some for (name, kind, region), some in groups.items() if name == network}
        methods = next(iter(own.values()))[0].rows
        series = []
        for method in methods:
            found = [share(some, method) for some in own.values()]
            series.append(_bars(method, tuple(own), [one.mean for one in found], [one.ci95 for one in found]))
        yield Figure(f"{network}: errors by training", "training, region", "share of the seeds", tuple(series))


def _repairs(results: Results) -> Iterator[Figure]:
    for network, some in like_networks(results.repaired).items():
        repairs = tuple(dict.fromkeys(name for one in some for name in one.repairs))
        figures = tuple(next(iter(some[0].repairs.values())).figures)
        attacks = tuple(name for name in figures if name not in ("clean", "clever", "near robust"))
        for words, names in (("attack success", attacks), ("CLEVER", ("clever",)), ("clean accuracy", ("clean",))):
            series = []
            for name in names:
                found = {repair: change(some, repair, name) for repair in repairs}
                known = {repair: one for repair, one in found.items() if one is not None}
                if known:
                    means = [one.mean for one in known.values()]
                    series.append(_bars(name, tuple(known), means, [one.ci95 for one in known.values()]))
            # A bar without an interval would be read as a change.
            if series:
                yield Figure(
                    f"{network}: change of {words} by retraining", "findings of", f"change of {words}", tuple(series)
                )


def _bars(name: str, x: tuple[str, ...], y: list[float], ci95: list[tuple[float, float]]) -> Series:
    return Series(name, x, tuple(y), "bars", tuple(ci95))
