"""The claims of a reproduced paper in a few lines for a terminal."""

from pathlib import Path

from unnerve.studies.repetition import Repetition
from unnerve.studies.reproduction import Reproduction

__all__ = ["repetition_text", "reproduction_text"]


def reproduction_text(result: Reproduction, folder: Path) -> str:
    """Return the claims for a terminal, with where the rest is."""
    lines = [f"{result.paper}: {result.size}"]
    for claim in result.claims:
        lines.append(f"[{claim.verdict:^7}] {claim.claim}")
        lines.append(f"          paper: {claim.paper}; ours: {claim.ours}")
        lines.append(f"          rule: {claim.rule} ({claim.place})")
    lines.extend(f"not run: {what}" for what in result.skipped)
    lines.append(f"tables: {folder / 'results.md'}; figures: {folder / 'report.html'}")
    return "\n".join(lines)


def repetition_text(result: Repetition) -> str:
    """Return the figures of a repeated cell for a terminal, those that do not agree first."""
    lines = [result.headline()]
    for one in sorted(result.figures, key=lambda figure: figure.agrees):
        word = "identical" if one.identical else "agrees" if one.agrees else "differs"
        around = f"{one.stored.mean:.6g} ({one.stored.low:.4g} to {one.stored.high:.4g})"
        lines.append(f"[{word:^9}] {one.figure}: stored {around}, again {one.again:.6g}")
    return "\n".join(lines)
