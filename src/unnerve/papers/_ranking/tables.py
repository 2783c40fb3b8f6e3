"""The tables that NSATP and PEACEPACT share, from finished cells: ours beside the printed figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any

from unnerve.measure.curves.eff_d import eff_d
from unnerve.papers._ranking.cells import DATA_SETS, METRICS
from unnerve.studies.intervals import Interval, student
from unnerve.studies.reproduction import Table

__all__ = [
    "Group",
    "Printed",
    "correlation_table",
    "eff_d_table",
    "f_measure_table",
    "fit_table",
    "grouped",
    "marks_of",
]

Printed = Mapping[tuple[str, str], Mapping[str, tuple[float, ...]]]
"""(network, data) -> metric -> (a, b, r, F-measure, F-measure of random), as the paper prints them."""


@dataclass(frozen=True)
class Group:
    """All training seeds of one network on one data set."""

    network: str
    data: str
    cells: tuple[Mapping[str, Any], ...]

    def figure(self, metric: str, *keys: str) -> Interval | None:
        """Return a figure of a metric's proof, averaged over training seeds; None where no fit was possible."""
        values = [reduce(getitem, keys, cell["proof"]["scores"][metric]) for cell in self.cells]
        known: list[float] = [value for value in values if value is not None]
        return student(known) if known else None

    @property
    def title(self) -> str:
        """Network and data as the paper writes them, with the number of training seeds."""
        return f"{self.network} {DATA_SETS[self.data]}"


def grouped(cells: Iterable[Mapping[str, Any]], networks: Sequence[str]) -> list[Group]:
    """Return the groups in the papers' order: by network, then by data set."""
    known = list(cells)
    groups = []
    for network in networks:
        for data in DATA_SETS:
            mine = tuple(c for c in known if (c["plan"]["network"], c["plan"]["data"]) == (network, data))
            if mine:
                groups.append(Group(network, data, mine))
    return groups


def fit_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """Fitted functions f(x) = a exp(-b x) of Eff against normalised rank."""

    def cell(group: Group, metric: str) -> str:
        a, b = (group.figure(metric, "fit", key) for key in ("a", "b"))
        ours = "-" if a is None or b is None else f"{a.mean:.2f} e^(-{b.mean:.2f}x)"
        paper = printed.get((group.network, group.data), {}).get(metric)
        return f"{ours} (paper {paper[0]:.2f} e^(-{paper[1]:.2f}x))" if paper else ours

    return _table(title, groups, metrics, cell)


def correlation_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """Correlation between data and fitted curve: over 100 rank bins, and point by point."""

    def cell(group: Group, metric: str) -> str:
        bins = group.figure(metric, "fit", "r")
        points = group.figure(metric, "fit_points", "r")
        paper = printed.get((group.network, group.data), {}).get(metric)
        return f"{_shown(bins)} bins, {_shown(points)} points" + (f" (paper {paper[2]:.2f})" if paper else "")

    return _table(title, groups, metrics, cell)


def f_measure_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """F-measure of the ranking, of random order, and of random order of inputs with Eff > 0; and Inc."""

    def cell(group: Group, metric: str) -> str:
        names = ("f_measure", "f_measure_random", "f_measure_random_effective", "inc")
        own, rand, some, saved = (group.figure(metric, name) for name in names)
        paper = printed.get((group.network, group.data), {}).get(metric)
        ours = f"{_shown(own)} / {_shown(rand)} / {_shown(some)}, Inc {_percent(saved)}"
        if paper is None:
            return ours
        return f"{ours} (paper {paper[3]:g} / {paper[4]:g}, Inc {1 - paper[3] / paper[4]:.2%})"

    return _table(title, groups, metrics, cell)


def eff_d_table(title: str, groups: Sequence[Group], printed: Printed) -> Table:
    """Eff-D, the absolute slope of ln Eff, with Best, Middle and Worst."""
    marks = {id(group): marks_of(group) for group in groups}

    def cell(group: Group, metric: str) -> str:
        slope = group.figure(metric, "fit", "b")
        paper = printed.get((group.network, group.data))
        theirs = eff_d({name: values[1] for name, values in paper.items()})[metric] if paper else None
        beside = f" (paper {paper[metric][1]:.2f} {theirs})" if paper else ""
        return f"{_shown(slope)} {marks[id(group)][metric]}{beside}"

    return _table(title, groups, METRICS, cell)


def marks_of(group: Group) -> dict[str, str]:
    """Return the Eff-D mark of each metric on one network and data set."""
    slopes = {metric: group.figure(metric, "fit", "b") for metric in METRICS}
    return eff_d({metric: float("nan") if slope is None else slope.mean for metric, slope in slopes.items()})


def _table(title: str, groups: Sequence[Group], metrics: Sequence[str], cell: Callable[[Group, str], str]) -> Table:
    rows = tuple((group.title, str(len(group.cells)), *(cell(group, metric) for metric in metrics)) for group in groups)
    return Table(title, ("network and data", "seeds", *(metric.upper() for metric in metrics)), rows)


def _shown(value: Interval | None) -> str:
    if value is None:
        return "-"
    spread = f" ± {_plain(value.high - value.mean)}" if value.high > value.mean else ""
    return f"{_plain(value.mean)}{spread}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _percent(value: Interval | None) -> str:
    return "-" if value is None else f"{value.mean:.1%}"
