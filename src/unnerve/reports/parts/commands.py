"""Command lines as a page shows them."""

import shlex
from collections.abc import Iterable

from unnerve.reports.parts.names import printable

__all__ = ["command_line", "shown_command"]


def command_line(words: Iterable[str]) -> str:
    """Return words as one line for a shell, in which nothing is invisible."""
    return shlex.join(printable(word) for word in words)


def shown_command(given: str | None, planned: str, missing: str) -> tuple[str, str]:
    """Return the command that a page shows, and a note on where it comes from.

    Parameters
    ----------
    given : str or None
        The exact command line, if it is known.
    planned : str
        The one made from the plan.
    missing : str
        Options that are no part of the plan.
    """
    if given:
        return printable(given), ""
    return planned, f"From the plan; {missing} are no part of it."
