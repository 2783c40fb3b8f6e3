"""A terminal's width and colours, where there is one: in a pipe text stays as it is."""

import os
import shutil
import textwrap

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
    """Break lines between words where the terminal would break them within; tables and commands stay as they are."""
    width = terminal_width()
    if width is None:
        return text
    return "\n".join(_broken(line, width) for line in text.split("\n"))


def _broken(line: str, width: int) -> str:
    # A command that is broken into lines can no longer be copied in one piece.
    if len(line) <= width or line.startswith(("  ", "Next: ", "Again: ")):
        return line
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
