"""What a verb prints at its end: words for a person, one JSON object for a program."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unnerve.cli._gate import coloured_verdicts, end_by
from unnerve.cli._output import own_output
from unnerve.cli._terminal import coloured, fitted, terminal_width
from unnerve.core.errors import OutputRefused
from unnerve.core.storage.printable import printable_lines

if TYPE_CHECKING:
    from unnerve.studies.campaign.campaign import Campaign
    from unnerve.studies.gates.gate import Gate, GateSettings

__all__ = ["drop_output", "flush_output", "say", "say_json", "tell", "tell_campaign"]


def say(text: str, colour: str = "") -> None:
    """Print the result for a person; its first line, the verdict, in a colour if one is given."""
    # Fitted apart from the rest, so that a verdict of two lines has its colour to the end.
    verdict, newline, rest = printable_lines(text).partition("\n")
    lines = fitted(verdict).split("\n")
    told = "\n".join(coloured(line, colour) if colour else line for line in lines)
    _print(f"{told}\n{fitted(rest)}" if newline else told)


def say_json(value: Mapping[str, Any]) -> None:
    """Print the result for a program: one JSON object, without NaN."""
    _print(json.dumps(value, allow_nan=False))


def tell(figures: dict[str, Any], text: str, as_json: bool, gate: "Gate | None" = None, colour: str = "") -> None:
    """Print the end of a verb, and end the command with 1 if a limit that its user stated is broken."""
    if as_json:
        say_json(figures if gate is None else figures | {"gate": gate.to_json()})
    else:
        told, following = _apart(text) if gate is not None else (text, "")
        say(told, colour)
        if gate is not None:
            _print(coloured_verdicts(gate))  # its words are printable already, and its colours must not be escaped
        if following:
            say(following)
    end_by(gate)


def _apart(text: str) -> tuple[str, str]:
    """Return the text and its last line, if that is what to do next: the verdict stands between the two."""
    told, _, last = text.rpartition("\n")
    return (told, last) if told and last.startswith("Next: ") else (text, "")


def tell_campaign(
    campaign: "Campaign", figures: dict[str, Any], as_json: bool, limits: "GateSettings", report: bool = False
) -> None:
    """Print the end of a campaign, and write its report if that is wished."""
    gate = campaign.judge(limits.fail_if, limits.undecided)
    page = campaign.report() if report else None
    if as_json:
        from unnerve.reports.parts.commands import command_figure

        gains = campaign.coverage
        steady = campaign.stability
        known = {} if campaign.accuracy is None else campaign.accuracy.figures()
        more: dict[str, Any] = {
            "coverage": None if gains is None else gains.to_json(),
            "stability": None if steady is None else steady.to_json(),
            **command_figure(campaign.provenance, campaign.store.path),
        }
        tell(figures | known | more | ({} if page is None else {"report": str(page)}), "", True, gate)
        return
    from unnerve.reports.campaign.text import campaign_text

    broken = any(one.counts().seeds_broken for one in campaign.tallies.values())
    text = campaign_text(campaign, page, width=terminal_width())
    # Nothing found is no pass, so it is not green.
    tell({}, text, False, gate, "red" if broken else "yellow")


def flush_output() -> None:
    """Hand over what was printed, or raise; at the end of the process an error would be lost."""
    _print("", end="")


def drop_output() -> None:
    """Send what is left in the buffers nowhere, for there is nobody to read it."""
    with suppress(OSError, ValueError):  # a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), own_output().fileno())


def _print(text: str, end: str = "\n") -> None:
    try:
        output = own_output()
        output.write(text + end)  # not by print: what a model has done to it must not keep us from telling
        output.flush()
    except BrokenPipeError:
        drop_output()  # whoever reads has seen enough, as head has after its lines; a limit is judged all the same
    except OSError as problem:
        drop_output()
        raise OutputRefused(f"cannot write to stdout: {problem.strerror}") from problem
