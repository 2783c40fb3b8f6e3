"""The story of an uncertainty map in a few lines for a terminal."""

from pathlib import Path

from unnerve.core.patterns import PATTERNS
from unnerve.reports.map.command import defend_command
from unnerve.reports.map.verdict import best_metric
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import between, percent, significant
from unnerve.reports.parts.text_table import aligned
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["map_text"]


def map_text(found: UncertaintyMap, table: str | Path | None = None, page: str | Path | None = None) -> str:
    """Tell where benign and adversarial inputs lie, and which metric tells them apart.

    Parameters
    ----------
    found : UncertaintyMap
    table : path or None
        Where the table of all inputs is, if it was written.
    page : path or None
        Where the HTML report is, if it was written.

    Returns
    -------
    str
        About twenty lines without markup or control characters.
    """
    known = found.campaign.accuracy
    loud, right = ([], "") if known is None else (known.loud(), known.text())
    lines = [
        *loud,
        _verdict(found),
        *([right] if right else []),
        "",
        *_moments(found),
        "",
        *_areas(found),
        "",
        *_counts(found),
        "",
    ]
    correlation = found.correlation()["all"]
    lines.append(f"PCS and VRO of all inputs: correlation {significant(correlation)}. {_stability(found)}")
    lines.append(
        f"{found.draws} draws per input, dropout: {printable(found.dropout)}, {printable(found.campaign.region)}."
    )
    if table is not None:
        lines.append(f"Table: {printable(str(table))}")
    if page is not None:
        lines.append(f"Report: {printable(str(page))}")
    lines += [f"Next: {line}"] if found.attacks and (line := defend_command(found)) else []
    return "\n".join(lines)


def _verdict(found: UncertaintyMap) -> str:
    best = best_metric(found.auc())
    if best is None:
        return "No attack found anything, so there is nothing to tell benign inputs from."
    return (
        f"{METRICS[best.metric]} tells benign from adversarial inputs best: AUC {significant(best.mean)} on average, "
        f"{significant(best.area.mean)} for {printable(best.worst)}; 0.5 is chance."
    )


def _moments(found: UncertaintyMap) -> list[str]:
    rows: list[tuple[str, ...]] = [("mean (variance)", "inputs", *METRICS.values())]
    for name, group in found.groups.items():
        if len(group):
            values = [group.figures[metric] for metric in METRICS]
            cells = (f"{significant(float(one.mean()))} ({significant(float(one.var()))})" for one in values)
            rows.append((printable(name), f"{len(group):,}", *cells))
        else:
            rows.append((printable(name), "0", *["-"] * len(METRICS)))
    return aligned(rows)


def _areas(found: UncertaintyMap) -> list[str]:
    rows: list[tuple[str, ...]] = [("AUC (95 % interval)", *METRICS.values())]
    for name, by in found.auc().items():
        rows.append((printable(name), *(f"{significant(one.mean)} ({between(*one.ci95)})" for one in by.values())))
    return aligned(rows)


def _counts(found: UncertaintyMap) -> list[str]:
    rows: list[tuple[str, ...]] = [("pattern (PCS, VRO)", *PATTERNS, "between")]
    for name, counts in found.patterns().items():
        total = max(1, sum(counts.values()))
        rows.append((printable(name), *(percent(count / total) for count in counts.values())))
    return aligned(rows)


def _stability(found: UncertaintyMap) -> str:
    early = found.stability().get("benign", {})
    if not early:
        return "Too few draws to say how stable VRO is."
    steps = ", ".join(f"{significant(apart)} after {draws}" for draws, apart in early.items())
    return f"Benign VRO differs from its final value by {steps} draws on average."
