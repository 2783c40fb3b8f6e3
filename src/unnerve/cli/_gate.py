"""How a verb ends whose user stated limits: the verdict in a line each, and exit code 1 if one is broken."""

from typing import TYPE_CHECKING

import typer

from unnerve.cli._terminal import coloured

if TYPE_CHECKING:
    from unnerve.studies.gates.gate import Gate

__all__ = ["coloured_verdicts", "end_by"]

_COLOURS = {"BROKEN": typer.colors.RED, "HELD": typer.colors.GREEN, "UNDECIDED": typer.colors.YELLOW}


def coloured_verdicts(gate: "Gate") -> str:
    """Return the verdicts, a line each; the word has a colour on a terminal, unless NO_COLOR is set."""
    from unnerve.reports.parts.gate import gate_lines

    return "\n".join(_coloured(line) for line in gate_lines(gate))


def end_by(gate: "Gate | None") -> None:
    """End the command with exit code 1 if a limit is broken, or undecided where that fails."""
    if gate is not None and not gate.passes:
        raise typer.Exit(1)


def _coloured(line: str) -> str:
    word, _, rest = line.partition(":")
    return f"{coloured(word, _COLOURS[word])}:{rest}"
