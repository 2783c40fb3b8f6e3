"""The claims of a reproduced paper in a few lines for a terminal."""

from pathlib import Path

from unnerve.studies.reproduction import Reproduction

__all__ = ["reproduction_text"]


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
