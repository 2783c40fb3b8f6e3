"""What hardening changed, in a few lines for a terminal."""

from dataclasses import replace
from pathlib import Path

from unnerve.reports.hardening.words import figure, span, trained
from unnerve.reports.parts.commands import following_command
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import duration
from unnerve.reports.parts.text_table import aligned
from unnerve.studies.harden.result import Hardening

__all__ = ["hardening_text"]


def hardening_text(found: Hardening, report: str | Path | None = None) -> str:
    """Tell what changed in plain text."""
    rows: list[tuple[str, ...]] = [("", "before", "after", "change", "95 % interval")]
    for name, one in found.rows().items():
        values = (figure(name, part.mean) for part in (one.before, one.after, one.change))
        rows.append((display_name(name, 50), *values, span(name, one.change)))
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
    return "\n".join(lines + ([f"Next: {following}"] if (following := _next_step(found)) else []))


def _next_step(found: Hardening) -> str:
    """Return the command that hunts the hardened network where the campaign looked; empty if there is none."""
    made = found.provenance
    if made is None:
        return ""
    hardened = replace(made, model=made.model.but(weights=found.weights))
    return following_command(hardened, "hunt", region=found.region, out=f"{found.out}-hunt")
