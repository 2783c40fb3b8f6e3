"""What natural changes do, in a few lines for a terminal."""

from pathlib import Path

from unnerve.reports.corruption.next_step import next_step
from unnerve.reports.corruption.verdict import by_harm, change_name
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, duration, percent, percent_between
from unnerve.reports.parts.text_table import aligned
from unnerve.studies.corrupt.result import Corruption

__all__ = ["corruption_text"]

_CLASSES = 20


def corruption_text(found: Corruption, report: str | Path | None = None) -> str:
    """Tell the same in plain text."""
    mean, kept = found.mean_corruption_error, "accuracy" if found.labelled else "answers kept"
    clean = f"accuracy {percent(found.accuracy.mean)} ({percent_between(*found.accuracy.ci95)}), " * found.labelled
    lines = [
        f"{display_name(found.model, 60)} on {count(len(found.clean), 'inputs')}: {clean}mean corruption error "
        f"{percent(mean.mean)} ({percent_between(*mean.ci95)})",
        f"{kept.capitalize()} by severity, the most harmful change first:",
        "",
        *_changes(found),
        "",
        *_harms(found),
        "",
        f"Measured in {duration(found.seconds)}.",
    ]
    if found.out is not None:
        lines.append(f"Changed set: {printable(found.out)}")
    lines += [f"Report: {printable(str(report))}"] if report is not None else []
    return "\n".join(lines + ([f"Next: {following}"] if (following := next_step(found).command) else []))


def _changes(found: Corruption) -> list[str]:
    rows = [("change", "error (95 % interval)", *(str(one) for one in found.severities))]
    for change in by_harm(found):
        error = found.error(change)
        shares = [percent(found.at(change, severity).mean) for severity in found.severities]
        ends = percent_between(*error.ci95).removesuffix(" %")  # with it, the last severity would leave 80 columns
        rows.append((change_name(change), f"{percent(error.mean)} ({ends})", *shares))
    return aligned(rows)


def _harms(found: Corruption) -> list[str]:
    harms = found.harms()
    if len(harms) > _CLASSES:
        return [f"The most harmful change of each of {count(len(harms), 'classes')}: in the report."]
    rows = [("class", "most harmful change", "error", "without changes")]
    for name, one in harms.items():
        named = "none" if one.change is None else change_name(one.change)
        rows.append((display_name(name, 30), named, percent(one.error.mean), percent(one.clean_error.mean)))
    return aligned(rows)
