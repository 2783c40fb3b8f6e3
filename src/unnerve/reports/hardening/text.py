"""What hardening changed, in a few lines for a terminal."""

from pathlib import Path

from unnerve.reports.hardening.next_step import next_step
from unnerve.reports.hardening.words import change, change_span, figure, trained
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import duration
from unnerve.reports.parts.text_table import aligned
from unnerve.studies.harden.result import Hardening

__all__ = ["hardening_text"]


def hardening_text(found: Hardening, report: str | Path | None = None) -> str:
    """Tell what changed in plain text."""
    rows: list[tuple[str, ...]] = [("", "before", "after", "change", "95 % interval")]
    for name, one in found.rows().items():
        sides = (figure(name, part.mean) for part in (one.before, one.after))
        moved = (change(name, one.change.mean), change_span(name, one.change))
        rows.append((display_name(name, 50), *sides, *moved))
    lines = [
        f"{display_name(found.model, 60)}, {found.repair}: {trained(found)}",
        "",
        *aligned(rows),
        "",
        f"Measured on {found.counts['fresh']:,} fresh inputs, {found.counts['attacked']:,} of them attacked in "
        f"{found.region}; {duration(found.seconds)}.",
        f"Weights: {printable(found.weights)}",
    ]
    lines += [f"Report: {printable(str(report))}"] if report is not None else []
    return "\n".join(lines + ([f"Next: {following}"] if (following := next_step(found).command) else []))
