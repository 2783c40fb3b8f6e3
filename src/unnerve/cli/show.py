"""Progress bars on a terminal, silence in a pipe, JSON where it is asked for."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["bar", "campaign_bar", "say", "say_json"]


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


@contextmanager
def campaign_bar(what: str) -> Iterator[Callable[[Any], None]]:
    """Show on stderr how far a campaign is and what it has found; yields show(progress)."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    start, before = time.monotonic(), -1
    found = TextColumn("seeds  {task.fields[found]}")
    columns = (TextColumn(what), BarColumn(20), MofNCompleteColumn(), found, TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None, found="")

        def show(progress: Any) -> None:
            nonlocal before
            counts = progress.counts
            before = counts.queries if before < 0 else before
            pace = (counts.queries - before) / max(time.monotonic() - start, 1e-3)
            text = f"{counts.seeds_broken:,} broken, {counts.errors:,} errors, {counts.error_categories:,} kinds"
            text += f", {pace:,.0f} queries/s"
            shown.update(task, completed=progress.seeds, total=progress.total, found=text)

        yield show


def say(text: str) -> None:
    """Print the result for a person."""
    print(text)


def say_json(value: Mapping[str, Any]) -> None:
    """Print the result for a program: one JSON object, without NaN."""
    print(json.dumps(value, allow_nan=False))
