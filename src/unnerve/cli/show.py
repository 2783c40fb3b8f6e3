"""Progress bars on a terminal, silence in a pipe, JSON where it is asked for."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["bar", "say", "say_json"]


@contextmanager
def bar(what: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr while the context lasts; yields progress(done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)


def say(text: str) -> None:
    """Print the result for a person."""
    print(text)


def say_json(value: Mapping[str, Any]) -> None:
    """Print the result for a program: one JSON object, without NaN."""
    print(json.dumps(value, allow_nan=False))
