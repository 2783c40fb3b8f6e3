"""A reproduced paper: claims and tables, as Markdown for the docs and as a few lines for the terminal."""

import json
from collections.abc import Sequence
from pathlib import Path

from unnerve.report.html import reproduction_html
from unnerve.studies.reproduction import Claim, Reproduction

__all__ = ["reproduction_files", "reproduction_markdown", "reproduction_text"]


def reproduction_files(result: Reproduction, command: str) -> dict[str, str]:
    """Return what a reproduction leaves in its folder, by file name."""
    return {
        "results.json": json.dumps(result.summary(), indent=1),
        "results.md": reproduction_markdown(result),
        "report.html": reproduction_html(result, command),
    }


def reproduction_markdown(result: Reproduction) -> str:
    """Return claims and tables as Markdown."""
    claims = [(claim.claim, claim.paper, claim.ours, _interval(claim), _held(claim)) for claim in result.claims]
    parts = [
        f"Size of the run: {result.size}.",
        _markdown_table(("claim", "paper", "ours", "95 % interval of the mean", "held"), claims),
        *(f"### {table.title}\n\n{_markdown_table(table.columns, table.rows)}" for table in result.tables),
    ]
    if result.skipped:
        parts.append("Not run: " + "; ".join(result.skipped) + ".")
    return "\n\n".join(parts) + "\n"


def reproduction_text(result: Reproduction, folder: Path) -> str:
    """Return the claims for a terminal, with where the rest is."""
    lines = [f"{result.paper}: {result.size}"]
    for claim in result.claims:
        lines.append(f"[{_held(claim):^7}] {claim.claim}")
        lines.append(f"          paper: {claim.paper}; ours: {claim.ours}")
    lines.extend(f"not run: {what}" for what in result.skipped)
    lines.append(f"tables: {folder / 'results.md'}; figures: {folder / 'report.html'}")
    return "\n".join(lines)


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _interval(claim: Claim) -> str:
    return "-" if claim.ci95 is None else f"{claim.ci95[0]:.3g} to {claim.ci95[1]:.3g}"


def _held(claim: Claim) -> str:
    return "held" if claim.held else "not held"
