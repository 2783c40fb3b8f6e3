"""A terminal's width and colours, where there is one: in a pipe text stays as it is."""

import os
import re
import shutil
import textwrap
from itertools import groupby

import typer

from unnerve.cli._output import own_output

__all__ = ["coloured", "fitted", "terminal_width"]

_LEAST = 40


def terminal_width() -> int | None:
    """Return how wide the terminal is that results are written to; None if it is none."""
    if not own_output().isatty():
        return None
    return max(_LEAST, shutil.get_terminal_size().columns)


def coloured(text: str, colour: str) -> str:
    """Return text in a colour and bold on a terminal, unless NO_COLOR is set."""
    if not own_output().isatty() or os.environ.get("NO_COLOR"):
        return text
    return typer.style(text, fg=colour, bold=True)


def fitted(text: str) -> str:
    """Break prose between words, commands before options, and leave out columns where the terminal is too narrow."""
    width = terminal_width()
    if width is None:
        return text
    # Tables are indented by two spaces, prose is not: that alone tells what may be broken between words.
    blocks = groupby(text.split("\n"), key=lambda line: line.startswith("  "))
    return "\n".join(line for indented, block in blocks for line in _block(list(block), indented, width))


def _block(lines: list[str], indented: bool, width: int) -> list[str]:
    if max(map(len, lines)) <= width:
        return lines
    if not indented:
        return [_broken(line, width) for line in lines]
    columns = _columns(lines)
    if len(columns) < 2 or columns[0].stop > width:
        return [_broken(line, width, "    ") for line in lines]
    kept = [column for column in columns if column.stop <= width]
    left_out = ", ".join(lines[0][column].strip() for column in columns[len(kept) :])
    # The columns on the right are the least important, and none of them vanishes without a word.
    said = _broken(f"  (too narrow for {left_out}; --json has them all)", width, "  ")
    return [*(line[: kept[-1].stop].rstrip() for line in lines), said]


def _continued(line: str, width: int) -> str:
    """Break a command before its options, with the backslash that lets a shell take the lines as one."""
    lines: list[str] = []
    for part in re.split(r" (?=--)", line):
        if lines and len(lines[-1]) + len(part) + len("  \\") < width:
            lines[-1] += f" {part}"
        else:
            lines.append(part if not lines else f"    {part}")
    return " \\\n".join(lines)


def _columns(lines: list[str]) -> list[slice]:
    """Return where the columns of a table stand: between them every line has two spaces at least."""
    longest = max(map(len, lines))
    used = (any(line[place : place + 1].strip() for line in lines) for place in range(longest))
    marks = "".join("x" if one else " " for one in used)
    return [slice(*found.span()) for found in re.finditer(r"x+(?: x+)*", marks)]


def _broken(line: str, width: int, indent: str = "") -> str:
    if len(line) <= width:
        return line
    if line.startswith(("Next: ", "Again: ")):
        return _continued(line, width)
    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
