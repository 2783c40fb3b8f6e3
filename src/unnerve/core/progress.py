"""Signs of life: progress bars where somebody looks, and deadlines where another process watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["OnSteps", "ShowProgress", "Watcher", "show_answer", "show_life", "steps_shown", "watched_by"]

Watcher = Callable[[float, str], None]
"""(until when on the monotonic clock, why the process is ended if it does not show life before)."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("who ends this process if it hangs", default=None)
_UNANSWERED: ContextVar[bool] = ContextVar(
    "whether a deadline stands for the model's first answer alone", default=False
)

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
def watched_by(watcher: Watcher, until_answered: bool = False) -> Iterator[None]:
    """Let a watcher be told of every sign of life while the context lasts.

    Parameters
    ----------
    watcher : callable
    until_answered : bool
        The watcher was told of a deadline that ends with the model's first answer.
    """
    before, waiting = _WATCHER.set(watcher), _UNANSWERED.set(until_answered)
    try:
        yield
    finally:
        _WATCHER.reset(before)
        _UNANSWERED.reset(waiting)


def show_answer() -> None:
    """Say that the model has answered; a deadline for its first answer ends here, others stay."""
    if _UNANSWERED.get():
        _UNANSWERED.set(False)
        show_life(0.0, "")


def show_life(until: float, why: str) -> None:
    """Ask to be left alone until then, on the monotonic clock; without a watcher nothing happens."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(until, why)
