"""Signs of life: progress bars where somebody looks, and deadlines where another process watches."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = [
    "START",
    "OnSteps",
    "ShowProgress",
    "Watcher",
    "expect_work",
    "patience",
    "show_life",
    "show_work",
    "steps_shown",
    "watched_by",
]

Watcher = Callable[[float, str], None]
"""(until when on the monotonic clock, why the process is ended if it does not show life before)."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("who ends this process if it hangs", default=None)
_PATIENCE: ContextVar[tuple[float, str] | None] = ContextVar(
    "how many seconds may pass without any work, and what is said then", default=None
)

START = 30.0
"""Seconds beyond ``--seconds`` or ``--step-seconds`` that a model has for being opened, identified and tried."""
_SILENCE = 120.0
"""Seconds without any work, for what is not the model's: reading, writing, counting."""
_PASSES = 16
"""A step may be of few inputs, and a pass outside of steps of many more."""

OnSteps = Callable[[int, int], None]
"""(done, total), called now and then."""

ShowProgress = bool | OnSteps | None
"""What users give as ``progress``: True for a bar, or a function to be called; nothing is shown by default."""


@contextmanager
def steps_shown(progress: ShowProgress, what: str, unit: str) -> Iterator[OnSteps]:
    """Show how far a piece of work is while the context lasts; yields a function (done, total).

    Parameters
    ----------
    progress : bool, callable (done, total), or None
        True draws a bar on standard error; a function is called instead.
    what, unit : str
        What is being done, and to what: ``ranking``, ``inputs``.
    """
    if not progress:
        yield lambda done, total: None
        return
    if callable(progress):
        yield progress
        return
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second, for a bar that is mostly not wanted
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total or None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let a watcher be told of every sign of life while the context lasts."""
    before, expected = _WATCHER.set(watcher), _PATIENCE.set(None)
    try:
        yield
    finally:
        _WATCHER.reset(before)
        _PATIENCE.reset(expected)


def patience(step_seconds: float | None, seconds: float | None = None) -> float:
    """Return how many seconds may pass without any work outside of steps, which may take so long each.

    Before the first step there is a nearer deadline: all ``seconds`` of the run, and what a model has for its start.
    """
    silence = _SILENCE + _PASSES * (step_seconds or 0.0)
    return silence if seconds is None else min(silence, seconds + START)


def expect_work(seconds: float, why: str) -> None:
    """Ask to be ended if, from the next piece of work on, none is shown for so long; until :func:`show_life`."""
    _PATIENCE.set((seconds, why))


def show_work() -> None:
    """Say that a piece of work is done, such as a pass of the model, or a file that was looked at."""
    expected = _PATIENCE.get()
    if expected is not None:
        seconds, why = expected
        _tell(time.monotonic() + seconds, why)


def show_life(until: float, why: str) -> None:
    """Ask to be left alone until then, on the monotonic clock; without a watcher nothing happens."""
    _PATIENCE.set(None)
    _tell(until, why)


def _tell(until: float, why: str) -> None:
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(until, why)
