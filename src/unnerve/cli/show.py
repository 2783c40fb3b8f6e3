"""What a verb prints at its end: words for a person, one JSON object for a program."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unnerve.cli._output import own_output
from unnerve.core.errors import OutputRefused
from unnerve.core.storage.printable import printable_lines

if TYPE_CHECKING:
    from unnerve.studies.campaign.campaign import Campaign

__all__ = ["OutputClosed", "drop_output", "flush_output", "say", "say_json", "tell_campaign"]


class OutputClosed(Exception):
    """Whoever reads the output has gone, as ``head`` does after its lines."""


def say(text: str) -> None:
    """Print the result for a person."""
    _print(printable_lines(text))


def say_json(value: Mapping[str, Any]) -> None:
    """Print the result for a program: one JSON object, without NaN."""
    _print(json.dumps(value, allow_nan=False))


def tell_campaign(campaign: "Campaign", figures: dict[str, Any], as_json: bool) -> None:
    """Print the end of a campaign."""
    if as_json:
        gains = campaign.coverage
        steady = campaign.stability
        say_json(
            figures
            | {"coverage": None if gains is None else gains.to_json()}
            | {"stability": None if steady is None else steady.to_json()}
        )
        return
    from unnerve.reports.campaign.text import campaign_text

    say(campaign_text(campaign))


def flush_output() -> None:
    """Hand over what was printed, or raise; at the end of the process an error would be lost."""
    _print("", end="")


def drop_output() -> None:
    """Send what is left in the buffers nowhere, for there is nobody to read it."""
    with suppress(OSError, ValueError):  # a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), own_output().fileno())


def _print(text: str, end: str = "\n") -> None:
    try:
        print(text, end=end, file=own_output(), flush=True)
    except BrokenPipeError as problem:
        raise OutputClosed from problem
    except OSError as problem:
        drop_output()
        raise OutputRefused(f"cannot write to stdout: {problem.strerror}") from problem
