"""The claims of a reproduced paper in a few lines for a terminal."""

from pathlib import Path

from unnerve.studies.reproduction import Claim, Reproduction

__all__ = ["held_text", "reproduction_text"]


def reproduction_text(result: Reproduction, folder: Path) -> str:
    """Return the claims for a terminal, with where the rest is."""
    lines = [f"{result.paper}: {result.size}"]
    for claim in result.claims:
        lines.append(f"[{held_text(claim):^7}] {claim.claim}")
        lines.append(f"          paper: {claim.paper}; ours: {claim.ours}")
    lines.extend(f"not run: {what}" for what in result.skipped)
    lines.append(f"tables: {folder / 'results.md'}; figures: {folder / 'report.html'}")
    return "\n".join(lines)


def held_text(claim: Claim) -> str:
    """Return whether a claim held."""
    return "held" if claim.held else "not held"
