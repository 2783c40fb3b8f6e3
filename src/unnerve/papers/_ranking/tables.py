"""The tables that NSATP and PEACEPACT share, from finished cells: ours beside the printed figures."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from unnerve.measure.curves.eff_d import eff_d
from unnerve.papers._ranking.cells import METRICS
from unnerve.papers._ranking.groups import Group
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table

__all__ = ["Printed", "PrintedRow", "correlation_table", "eff_d_table", "f_measure_table", "fit_table"]


class PrintedRow(NamedTuple):
    """What a paper prints of one metric: the fit ``a exp(-b x)``, its correlation, F-measures ranked and random."""

    a: float
    b: float
    r: float
    ranked: float
    random: float


Printed = Mapping[tuple[str, str], Mapping[str, PrintedRow]]
"""(network, data) -> metric -> what the paper prints."""


def fit_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """Fitted functions f(x) = a exp(-b x) of Eff against normalised rank."""

    def cell(group: Group, metric: str) -> str:
        a, b = group.figure(metric, lambda one: one.fit.a), group.figure(metric, lambda one: one.fit.b)
        ours = "-" if a is None or b is None else f"{a.mean:.2f} e^(-{b.mean:.2f}x)"
        paper = printed.get((group.network, group.data), {}).get(metric)
        return f"{ours} (paper {paper.a:.2f} e^(-{paper.b:.2f}x))" if paper else ours

    return _table(title, groups, metrics, cell)


def correlation_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """Correlation between data and fitted curve: over 100 rank bins, and point by point."""
    # The papers do not say what they fit, and r depends on it (on LeNet-5 0.86 over 100 bins, 0.99 over 20), so that
    # one figure alone would say little.

    def cell(group: Group, metric: str) -> str:
        bins = group.figure(metric, lambda one: one.fit.r, -1, 1)
        points = group.figure(metric, lambda one: one.fit_points.r, -1, 1)
        paper = printed.get((group.network, group.data), {}).get(metric)
        return f"{_shown(bins)} bins, {_shown(points)} points" + (f" (paper {paper.r:.2f})" if paper else "")

    return _table(title, groups, metrics, cell)


def f_measure_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """F-measure of the ranking, of random order, and of random order of inputs with Eff > 0; and Inc."""

    def cell(group: Group, metric: str) -> str:
        ranked = group.figure(metric, lambda one: one.f_measure, low=1)
        random = group.figure(metric, lambda one: one.f_measure_random, low=1)
        # NSATP's footnote 2 draws the random candidates from those with Eff > 0 only, which changes this column much:
        # both are shown.
        effective = group.figure(metric, lambda one: one.f_measure_random_effective, low=1)
        saved = group.figure(metric, lambda one: one.inc)
        paper = printed.get((group.network, group.data), {}).get(metric)
        ours = f"{_shown(ranked)} / {_shown(random)} / {_shown(effective)}, Inc {_percent(saved)}"
        if paper is None:
            return ours
        return f"{ours} (paper {paper.ranked:g} / {paper.random:g}, Inc {1 - paper.ranked / paper.random:.2%})"

    return _table(title, groups, metrics, cell)


def eff_d_table(title: str, groups: Sequence[Group], printed: Printed) -> Table:
    """Eff-D, the absolute slope of ln Eff, with Best, Middle and Worst."""

    def cell(group: Group, metric: str) -> str:
        slope = group.figure(metric, lambda one: one.fit.b)
        paper = printed.get((group.network, group.data))
        theirs = eff_d({name: row.b for name, row in paper.items()})[metric] if paper else None
        beside = f" (paper {paper[metric].b:.2f} {theirs})" if paper else ""
        return f"{_shown(slope)} {group.marks[metric]}{beside}"

    return _table(title, groups, METRICS, cell)


def _table(title: str, groups: Sequence[Group], metrics: Sequence[str], cell: Callable[[Group, str], str]) -> Table:
    rows = tuple((group.title, str(len(group.cells)), *(cell(group, metric) for metric in metrics)) for group in groups)
    return Table(title, ("network and data", "seeds", *(metric.upper() for metric in metrics)), rows)


def _shown(value: Interval | None) -> str:
    if value is None:
        return "-"
    known = isfinite(value.low) and isfinite(value.high)  # not of a single network
    around = f" ({_plain(value.low)} to {_plain(value.high)})" if known and value.low < value.high else ""
    return f"{_plain(value.mean)}{around}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _percent(value: Interval | None) -> str:
    return "-" if value is None else f"{value.mean:.1%}"
