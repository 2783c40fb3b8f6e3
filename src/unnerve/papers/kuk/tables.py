"""KuK's Tables 3 and 4, and the shares of its patterns, from finished trials, beside the printed figures."""

from collections.abc import Sequence

from unnerve.core.patterns import PATTERNS
from unnerve.papers.kuk.printed import AUC, MEANS
from unnerve.papers.kuk.results import Moments, TrialResult, rows_of
from unnerve.papers.kuk.trial import EXTREMES
from unnerve.studies.map.result import METRICS
from unnerve.studies.reproduction import Table

__all__ = ["auc_table", "mean_table", "pattern_table"]


def auc_table(results: Sequence[TrialResult], extreme: str) -> Table:
    """Return Table 3."""
    rows = [
        (
            f"{row.result.title}, {row.title}",
            str(row.figures.group.count),
            *(
                f"{row.figures.auc[metric].mean:.3f} ({printed / 100:.3f})"
                for metric, printed in zip(METRICS, AUC[row.result.plan.network][row.place], strict=True)
            ),
        )
        for row in rows_of(results, extreme)
    ]
    return Table(
        f"Table 3: AUC-ROC, {extreme} change of each attack",
        ("network, attack", "inputs", *METRICS.values()),
        tuple(rows),
    )


def mean_table(results: Sequence[TrialResult], extreme: str) -> Table:
    """Return Table 4."""
    rows = []
    for result in results:
        printed = MEANS[result.plan.network]
        groups = [("benign", printed[0], result.benign)]
        groups += [(row.title, printed[row.place + 1], row.figures.group) for row in rows_of([result], extreme)]
        for name, (pcs, vro), group in groups:
            rows.append(
                (f"{result.title}, {name}", f"{_text(group.pcs)} ({pcs:.3f})", f"{_text(group.vro)} ({vro:.3f})")
            )
    return Table(
        f"Table 4: mean / variance, {extreme} change of each attack",
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


def _text(moments: Moments) -> str:
    return f"{moments.mean:.3f} / {moments.variance:.2g}"
