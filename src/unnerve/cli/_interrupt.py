"""What Ctrl-C does: while the command starts it ends the process at once, later it is an exception as usual."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["STOPPED", "ending_at_once", "raising"]

STOPPED = 130
"""The exit code of a command that was stopped."""


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process with one line, until :func:`raising` or the end of the context.

    Raised while modules are imported, an interrupt may come out as any error, with a traceback; and nothing is lost,
    since nothing was begun. Where Ctrl-C is ignored, or somebody else takes care of it, it stays so.
    """
    # Handlers belong to the main thread; Python raises elsewhere.
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def raising() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again: the work begins."""
    if signal.getsignal(signal.SIGINT) is not _end:
        return
    last = 0.0

    def interrupt(number: int, frame: FrameType | None) -> None:
        # A terminal sends it to the process that watches, too, which sends it on: that is one Ctrl-C.
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > 0.5:
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupt)


def _end(_number: int, _frame: FrameType | None) -> None:
    # Neither print nor sys.exit: in the middle of an import neither the streams nor exceptions can be relied on.
    os.write(2, b"unnerve: stopped\n")
    os._exit(STOPPED)
