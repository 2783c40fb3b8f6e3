"""What is said beside the result, on standard error: warnings in one line each, and steps if they are wanted."""

import logging
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from unnerve.cli._session import session
from unnerve.core.errors import DoubtfulAnswers
from unnerve.core.storage.printable import one_line

__all__ = ["note", "noting"]

_LONGEST = 300


def note(text: str) -> None:
    """Say something on standard error, unless the user wants silence."""
    if not session().quiet:
        with suppress(OSError):
            print(f"unnerve: {one_line(text, _LONGEST)}", file=sys.stderr)


@contextmanager
def noting() -> Iterator[None]:
    """Show each warning once and without its place, and with ``--verbose`` what is being done and when.

    With ``--debug`` warnings are shown as Python shows them.
    """
    handler = _Steps() if session().verbose else logging.NullHandler()
    logger = logging.getLogger("unnerve")
    level = logger.level
    logger.addHandler(handler)
    # Only our own logger, and given back afterwards: the command is also called within other programs.
    logger.setLevel(logging.INFO if session().verbose else level)
    shown: set[str] = set()

    def show(message: Any, *_: object, **__: object) -> None:
        text = message.command_line if isinstance(message, DoubtfulAnswers) else str(message)
        if text not in shown:
            shown.add(text)
            note(f"{'WARNING' if isinstance(message, DoubtfulAnswers) else 'note'}: {text}")

    with warnings.catch_warnings():
        if not session().debug:
            warnings.showwarning = show
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)


class _Steps(logging.Handler):
    """Writes what is logged, with the seconds since the command began."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.start = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        note(f"{time.monotonic() - self.start:.2f} s: {record.getMessage()}")
