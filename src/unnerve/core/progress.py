"""Progress bars for terminals, scripts and notebooks; silence where nobody looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["OnSteps", "ShowProgress", "steps_shown"]

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
