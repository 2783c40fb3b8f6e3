"""From words to an exit code: what went wrong is said in one readable line."""

import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import typer

from unnerve.cli._defaults import default_words, has_defaults
from unnerve.cli._interrupt import STOPPED
from unnerve.cli._memory import keep_freed_memory
from unnerve.cli._notes import note, noting
from unnerve.cli._report_words import with_page
from unnerve.cli._session import Session, begun_session
from unnerve.cli.app import app
from unnerve.cli.options import Stopped
from unnerve.cli.show import drop_output, flush_output
from unnerve.core.errors import InvalidSetting, UserError, raised
from unnerve.core.storage.printable import one_line

__all__ = ["full_words", "run", "said"]

# typer brings its own click or uses the installed one, depending on its version; both look alike from here.
_UsageError: Any = typer.BadParameter.__mro__[1]


def run(words: list[str]) -> int:
    """Run a command line and return its exit code."""
    with begun_session(now := Session.of(words)), noting():
        return _run(now)


def full_words(words: Sequence[str]) -> list[str]:
    """Return the words with the defaults of the working folder; what is wrong with these is told by the run."""
    now = Session.of(words)
    if now.no_defaults or not has_defaults():  # to know the options of all verbs takes a third of a second
        return list(now.words)
    command: Any = typer.main.get_command(app)
    with suppress(UserError):
        return [*now.words, *default_words(now.words, command.commands)[1]]
    return list(now.words)


def _run(now: Session) -> int:
    keep_freed_memory()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # not the stream of a process
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    debug = now.debug
    try:
        now.check()
        return _code(now)
    except _UsageError as problem:
        return said(str(problem.format_message()), 2)
    except UserError as problem:
        if debug:
            traceback.print_exc()
        return said(problem.command_line, 2)
    except (KeyboardInterrupt, typer.Abort, Stopped) as problem:
        return said(str(problem) or "stopped", STOPPED)
    except BaseException as problem:
        if debug:
            traceback.print_exc()
        return said(*_unexpected(problem))


def _unexpected(problem: BaseException) -> tuple[str, int]:
    """Return what to say of an error that nobody expected, and the exit code."""
    if isinstance(problem, Exception):
        return f"internal error, {type(problem).__name__}: {problem} (--debug shows where)", 3
    # SystemExit and its like are nothing that our own code raises: a method from somebody's file did.
    return f"the code under test raised {raised(problem)}", 2


def _code(now: Session) -> int:
    command: Any = typer.main.get_command(app)
    now = replace(now, words=with_page(now.words, list(command.commands)))
    _refuse_twice(now.words, command.commands)
    words = now.words if now.no_defaults else _with_defaults(now.words, command.commands)
    try:
        with begun_session(replace(now, words=words)):
            code = int(command(list(words), prog_name="unnerve", standalone_mode=False) or 0)
        flush_output()
    except SystemExit as done:
        # click turns a closed pipe into exit code 1, which is that of a gate; a verb's own never get so far.
        if isinstance(done.__context__, BrokenPipeError):
            drop_output()
            return 0
        return int(done.code or 0)  # of shell completion; a verb's own is an error already
    except OSError as problem:  # of help texts; those of verbs never get so far
        raise UserError(f"cannot write to stdout: {problem.strerror}") from problem
    return said("stopped", code) if code == STOPPED else code


def _refuse_twice(words: tuple[str, ...], verbs: dict[str, Any]) -> None:
    """Refuse a value that is given twice: click would forget the first one without a word."""
    verb = next((word for word in words if word in verbs), None)
    for option in () if verb is None else verbs[verb].params:
        names = tuple(option.opts)
        if option.param_type_name == "argument" or option.is_flag or option.multiple:
            continue
        count = sum(word in names or word.startswith(tuple(f"{name}=" for name in names)) for word in words)
        if count > 1:
            raise InvalidSetting(
                f"{names[0]} must be given once, got it {count} times; if it takes several values, put commas between"
            )


def _with_defaults(words: tuple[str, ...], verbs: dict[str, Any]) -> tuple[str, ...]:
    """Put the defaults of the working folder behind the verb, and say so."""
    file, added = default_words(words, verbs)
    if not added:
        return words
    note(f"from {file}: {shlex.join(added)}")
    place = next(place for place, word in enumerate(words) if word in verbs) + 1
    return *words[:place], *added, *words[place:]


def said(message: str, code: int) -> int:
    """Print a message as one line on standard error, and return the code."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        # Not by print: what a model has done to it must not keep us from telling.
        sys.stderr.write(f"unnerve: {one_line(message)}\n")
        sys.stderr.flush()
    return code
