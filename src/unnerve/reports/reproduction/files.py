"""A reproduced paper: claims and tables, as JSON, as Markdown for the docs and as HTML."""

import json
from collections.abc import Sequence

from unnerve.reports.reproduction.html import reproduction_html
from unnerve.studies.reproduction import Claim, Reproduction

__all__ = ["reproduction_files", "reproduction_markdown"]


def reproduction_files(result: Reproduction, command: str) -> dict[str, str]:
    """Return what a reproduction leaves in its folder, by file name."""
    return {
        "results.json": json.dumps(result.summary(), indent=1),
        "results.md": reproduction_markdown(result),
        "report.html": reproduction_html(result, command),
    }


def reproduction_markdown(result: Reproduction) -> str:
    """Return claims and tables as Markdown."""
    claims = [
        (claim.claim, _said(claim), claim.ours, _interval(claim), claim.rule, claim.verdict) for claim in result.claims
    ]
    parts = [
        f"Size of the run: {result.size}.",
        _markdown_table(("claim", "paper", "ours", "95 % interval", "rule", "verdict"), claims),
        *(f"### {table.title}\n\n{_markdown_table(table.columns, table.rows)}" for table in result.tables),
    ]
    if result.skipped:
        parts.append("Not run: " + "; ".join(result.skipped) + ".")
    return "\n\n".join(parts) + "\n"


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _said(claim: Claim) -> str:
    quoted = f'"{claim.quote}" ({claim.place})' if claim.quote else claim.place
    return f"{claim.paper}; {quoted}"


def _interval(claim: Claim) -> str:
    return "-" if claim.ci95 is None else f"{claim.ci95[0]:.3g} to {claim.ci95[1]:.3g}"
