"""The tables that NSATP and PEACEPACT share, from finished cells: ours beside the printed figures."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from typing import NamedTuple

from unnerve.measure.curves.eff_d import eff_d
from unnerve.papers._ranking.cells import METRICS, SCORES
from unnerve.papers._ranking.groups import Group
from unnerve.papers._ranking.ranked import FITS
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table

__all__ = [
    "Printed",
    "PrintedRow",
    "apfd_table",
    "correlation_table",
    "curve_table",
    "eff_d_table",
    "f_measure_table",
    "fit_table",
]


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
    """Fitted functions f(x) = a exp(-b x) of Eff against normalised rank, by the likelihood of a binomial."""

    def cell(group: Group, metric: str) -> str:
        fits = [one.curves(metric)["exponential"] for one in group.ranked]
        a, b = (sum(getattr(fit, name) for fit in fits) / len(fits) for name in ("a", "b"))
        paper = printed.get((group.network, group.data), {}).get(metric)
        ours = f"{a:.2f} e^(-{b:.2f}x)"
        return f"{ours} (paper {paper.a:.2f} e^(-{paper.b:.2f}x))" if paper else ours

    return _table(title, groups, metrics, cell)


def correlation_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """Correlation between data and fitted curve, fitted in three ways."""
    # The papers do not say what they fit, and r depends on it more than on anything else: one alone would say little.

    def cell(group: Group, metric: str) -> str:
        found = [group.correlation(metric, fit) for fit in FITS]
        paper = printed.get((group.network, group.data), {}).get(metric)
        return "; ".join(map(_shown, found)) + (f" (paper {paper.r:.2f})" if paper else "")

    return _table(f"{title}; fitted to {'; '.join(FITS)}", groups, metrics, cell)


def curve_table(groups: Sequence[Group], metrics: Sequence[str] = METRICS) -> Table:
    """Akaike's criterion of other falling curves less that of the exponential: below zero they are better."""

    def cell(group: Group, metric: str) -> str:
        each = [one.curves(metric) for one in group.ranked]
        told = []
        for curve in ("power", "stretched"):
            apart = [fits[curve].aic - fits["exponential"].aic for fits in each]
            told.append(f"{curve} " + ", ".join(f"{value:+,.0f}" for value in apart))
        return "; ".join(told)

    return _table("AIC of other curves less that of the exponential, of each network", groups, metrics, cell)


def f_measure_table(title: str, groups: Sequence[Group], printed: Printed, metrics: Sequence[str] = METRICS) -> Table:
    """F-measure of the ranking, of random order, and of random order of inputs with Eff > 0; and Inc."""

    def cell(group: Group, metric: str) -> str:
        # NSATP's footnote 2 draws the random candidates from those with Eff > 0 only, which changes this column much:
        # both are shown.
        ranked, random, effective = (group.generations(name) for name in (metric, "random", "random_effective"))
        paper = printed.get((group.network, group.data), {}).get(metric)
        ours = f"{_shown(ranked)} / {_shown(random)} / {_shown(effective)}, Inc {_percent(group.inc(metric))}"
        if paper is None:
            return ours
        return f"{ours} (paper {paper.ranked:g} / {paper.random:g}, Inc {1 - paper.ranked / paper.random:.2%})"

    return _table(title, groups, metrics, cell)


def eff_d_table(title: str, groups: Sequence[Group], printed: Printed) -> Table:
    """Eff-D, the absolute slope of ln Eff, with Best, Middle and Worst."""

    def cell(group: Group, metric: str) -> str:
        paper = printed.get((group.network, group.data))
        theirs = eff_d({name: row.b for name, row in paper.items()})[metric] if paper else None
        beside = f" (paper {paper[metric].b:.2f} {theirs})" if paper else ""
        return f"{_shown(group.slope(metric))} {group.marks[metric]}{beside}"

    return _table(title, groups, METRICS, cell)


def apfd_table(groups: Sequence[Group]) -> Table:
    """By score, the area under the curve of vulnerable inputs found along its order, and its lead over PD."""

    def cell(group: Group, score: str) -> str:
        area = group.over_inputs(lambda one, rows: one.apfd(score, rows), 0, 1)
        if area is None or score == "pd":
            return "-" if area is None else f"{area.mean:.4f}"
        lead = group.over_inputs(lambda one, rows: _lead(one.apfd(score, rows), one.apfd("pd", rows)), -1, 1)
        assert lead is not None
        return f"{area.mean:.4f}, {lead.mean:+.4f} ({lead.low:+.4f} to {lead.high:+.4f})"

    return _table("APFD of vulnerable inputs, and the difference from PD with its interval", groups, SCORES, cell)


def _lead(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _table(title: str, groups: Sequence[Group], metrics: Sequence[str], cell: Callable[[Group, str], str]) -> Table:
    rows = tuple(
        (
            group.title if group.counted else f"{group.title} (weak: not counted)",
            group.trained,
            f"{group.accuracy:.1%}",
            *(cell(group, metric) for metric in metrics),
        )
        for group in groups
    )
    return Table(title, ("network and data", "training seeds", "accuracy", *(m.upper() for m in metrics)), rows)


def _shown(value: Interval | None) -> str:
    if value is None or isnan(value.mean):
        return "-"
    known = isfinite(value.low) and isfinite(value.high)  # not of a single input
    around = f" ({_plain(value.low)} to {_plain(value.high)})" if known and value.low < value.high else ""
    return f"{_plain(value.mean)}{around}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _percent(value: Interval | None) -> str:
    return "-" if value is None else f"{value.mean:.1%} ({value.low:.1%} to {value.high:.1%})"
