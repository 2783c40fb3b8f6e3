"""What holds for one run of the command: the words it was given, and how much it shall say."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["Session", "begun_session", "session", "shows_progress"]

_FLAGS = ("debug", "verbose", "quiet", "no_defaults")


@dataclass(frozen=True)
class Session:
    """One run of the command.

    Parameters
    ----------
    words : tuple of str
        What was typed, without the options below, and with the defaults of the working folder.
    debug : bool
        Show tracebacks.
    verbose, quiet : bool
        Say more than usual, or nothing but results and errors.
    no_defaults : bool
        Leave the defaults of the working folder alone.
    """

    words: tuple[str, ...] = ()
    debug: bool = False
    verbose: bool = False
    quiet: bool = False
    no_defaults: bool = False

    @classmethod
    def of(cls, words: Sequence[str]) -> "Session":
        """Take the options that may stand anywhere on the line out of it."""
        options = {f"--{flag.replace('_', '-')}": flag for flag in _FLAGS}
        given = {options[word]: True for word in words if word in options}
        return cls(tuple(word for word in words if word not in options) or ("--help",), **given)

    def check(self) -> None:
        """Raise if options contradict each other."""
        if self.verbose and self.quiet:
            raise InvalidSetting("--verbose and --quiet exclude each other")


_USUAL = Session()
_NOW: ContextVar[Session] = ContextVar("the run of the command", default=_USUAL)


@contextmanager
def begun_session(now: Session) -> Iterator[None]:
    """Let :func:`session` return this one while the context lasts."""
    before = _NOW.set(now)
    try:
        yield
    finally:
        _NOW.reset(before)


def session() -> Session:
    """Return the run of the command that is under way."""
    return _NOW.get()


def shows_progress() -> bool:
    """Say whether bars are wanted: on a terminal, unless the user wants silence."""
    return sys.stderr.isatty() and not session().quiet
