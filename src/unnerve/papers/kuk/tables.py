"""KuK's Tables 3 and 4, and the shares of its patterns, from finished trials, beside the printed figures."""

from collections.abc import Sequence

from unnerve.core.patterns import PATTERNS
from unnerve.papers.kuk.printed import AUC, MEANS
from unnerve.papers.kuk.results import AttackRow, GroupFigures, TrialResult, rows_of
from unnerve.papers.kuk.trial import EARLY, EXTREMES, LATE
from unnerve.studies.map.result import METRICS
from unnerve.studies.reproduction import Table

__all__ = ["auc_table", "draws_table", "mean_table", "pattern_table"]


def auc_table(results: Sequence[TrialResult], extreme: str) -> Table:
    """Return Table 3."""
    rows = [
        (
            f"{row.result.title}, {row.title}",
            str(row.figures.group.count),
            *(_area(row, place, metric) for place, metric in enumerate(METRICS)),
        )
        for row in rows_of(results, extreme)
    ]
    return Table(
        f"Table 3: AUC-ROC with its interval (printed), {extreme} change of each attack",
        ("network, attack", "inputs", *METRICS.values()),
        tuple(rows),
    )


def _area(row: AttackRow, place: int, metric: str) -> str:
    area, printed = row.figures.auc[metric], AUC.get(row.result.plan.network)
    beside = f" ({printed[row.place][place] / 100:.3f})" if printed else ""
    return f"{area.mean:.3f} [{area.low:.2f}, {area.high:.2f}]{beside}"


def mean_table(results: Sequence[TrialResult], extreme: str) -> Table:
    """Return Table 4."""
    rows = []
    for result in results:
        printed = MEANS.get(result.plan.network)
        groups = [("benign", 0, result.benign)]
        groups += [(row.title, row.place + 1, row.figures.group) for row in rows_of([result], extreme)]
        for name, place, group in groups:
            beside = [f" ({value:.3f})" for value in printed[place]] if printed else ["", ""]
            both = [_text(group, metric) + text for metric, text in zip(("pcs", "vro"), beside, strict=True)]
            rows.append((f"{result.title}, {name}", *both))
    return Table(
        f"Table 4: mean with its interval / variance (printed mean), {extreme} change of each attack",
        ("network, group", "PCS", "VRO"),
        tuple(rows),
    )


def pattern_table(results: Sequence[TrialResult]) -> Table:
    """Return the share of each pattern in every group."""
    rows = []
    for result in results:
        groups = [("benign", result.benign)]
        groups += [
            (f"{row.title}, {extreme}", row.figures.group) for extreme in EXTREMES for row in rows_of([result], extreme)
        ]
        for name, group in groups:
            shares = [group.patterns[pattern] for pattern in PATTERNS]
            between = 1 - sum(shares)
            rows.append((f"{result.title}, {name}", *(f"{share:.0%}" for share in (*shares, between))))
    return Table(
        "Patterns (PCS, VRO) with thresholds 0.3 / 0.7 and 0.4 / 0.6",
        ("network, group", "LL", "LH", "HL", "HH", "between"),
        tuple(rows),
    )


def draws_table(results: Sequence[TrialResult]) -> Table:
    """Return how many inputs change sides of a threshold of VRO between 20 and 200 draws."""
    rows = []
    for result in results:
        groups = [("benign", result.benign)]
        groups += [(row.title, row.figures.group) for row in rows_of([result], "smallest")]
        for name, group in groups:
            share = group.crossed
            late, early = (sum(group.vro_by_draws[draws]) / group.count for draws in (LATE, EARLY))
            shares = f"{share.mean:.1%} ({share.low:.1%} to {share.high:.1%})"
            rows.append((f"{result.title}, {name}", str(group.count), shares, f"{late - early:+.4f}"))
    return Table(
        "Inputs that lie on another side of VRO 0.4 or 0.6 after 200 draws than after 20",
        ("network, group", "inputs", "share", "mean VRO moves by"),
        tuple(rows),
    )


def _text(group: GroupFigures, metric: str) -> str:
    mean, variance = group.mean(metric), group.moments(metric).variance
    return f"{mean.mean:.3f} [{mean.low:.2f}, {mean.high:.2f}] / {variance:.2g}"
