"""Standard output belongs to the command: what models, their files and C libraries print goes to standard error."""

import os
import sys
from contextvars import ContextVar
from typing import TextIO

__all__ = ["claim_output", "own_output", "own_process"]

_PROCESS_IS_OURS: ContextVar[bool] = ContextVar("whether the command was started as a process", default=False)
_OWN: ContextVar[TextIO | None] = ContextVar("the command's own standard output", default=None)


def own_process() -> None:
    """Say that this process is the command's own: its standard output may be claimed."""
    _PROCESS_IS_OURS.set(True)


def claim_output() -> None:
    """Keep file descriptor 1 for :func:`own_output`; everybody else's 1 is standard error, to the end of the process.

    Not given back: what a model does when Python ends, it does after us.
    """
    if not _PROCESS_IS_OURS.get() or sys.stdout is None:  # somebody else's, or started without a standard output
        return
    sys.stdout.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # without a standard error there is nowhere else to write
        return
    _OWN.set(os.fdopen(kept, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors))


def own_output() -> TextIO:
    """Return where results are written."""
    return _OWN.get() or sys.stdout
