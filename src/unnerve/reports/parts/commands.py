"""Command lines as a page shows them."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.parts.names import printable

__all__ = ["NextStep", "command_figure", "command_line", "following_command", "repeating_command", "shown_command"]


@dataclass(frozen=True)
class NextStep:
    """What to do next, as a page says it.

    Parameters
    ----------
    reason : str
        Ends with a colon, for the command follows it.
    command : str
        Complete; empty if there is none, and then the reason is not shown either.
    """

    reason: str
    command: str


def command_line(words: Iterable[str]) -> str:
    """Return words as one line for a shell, in which nothing is invisible."""
    return shlex.join(printable(word) for word in words)


def repeating_command(provenance: Provenance | None, **changes: str | bool) -> str:
    """Return the command that repeats a run, with other values for some settings; empty if there is none."""
    return "" if provenance is None else command_line(provenance.but(**changes).words())


def following_command(provenance: Provenance | None, verb: str, **settings: str | bool) -> str:
    """Return the command of another verb on the same model and data; empty if there is none."""
    if provenance is None:
        return ""
    return command_line(replace(provenance, call=Call(verb, settings)).words())


def shown_command(given: str | None, provenance: Provenance | None, out: str | None = None) -> tuple[str, str]:
    """Return the command that a page shows, and a note: why there is none, or where it writes to.

    Parameters
    ----------
    given : str or None
        Another command than the one that repeats the run.
    provenance : Provenance or None
        How the run came about, if that is known.
    out : str or None
        The folder of its campaign. The command writes to another one beside it, for campaigns are not overwritten.
    """
    if given:
        return printable(given), ""
    # A campaign's folder is never overwritten, so that the copied line must name another.
    beside = {} if out is None else {"out": f"{out}-again"}
    line = repeating_command(provenance, **beside)
    if not line:
        return "", _why_none(provenance)
    return line, "It repeats the run into a folder of its own." if beside else ""


def command_figure(provenance: Provenance | None, out: str | None = None) -> dict[str, str | None]:
    """Return the stable key ``command``: the line that a page shows, for JSON; None if no command repeats the run."""
    return {"command": shown_command(None, provenance, out)[0] or None}


def _why_none(provenance: Provenance | None) -> str:
    if provenance is None:
        return "No command repeats this: it was made in Python, and not by a verb."
    *most, last = [f"its {printable(name).replace('_', ' ')}" for name in provenance.only_in_python]
    named = f"{', '.join(most)} and {last}" if most else last
    return f"No command repeats this run: {named} {'exist' if most else 'exists'} only in Python."
