"""Errors a user can mend: one readable line each, no traceback on the command line."""

import difflib
import re
from collections.abc import Iterable

__all__ = [
    "FROM_OUTSIDE",
    "DoubtfulAnswers",
    "Interrupt",
    "InvalidData",
    "InvalidModel",
    "InvalidSetting",
    "MissingExtra",
    "ModelUnreachable",
    "OutputRefused",
    "UnknownName",
    "UserError",
    "raised",
]


_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")


class _Worded(Exception):
    """Messages name options as on the command line, ``--stored-range``.

    Raised in Python they speak of arguments, ```stored_range```; the command prints them as they are written.
    """

    def __str__(self) -> str:
        # One message for both: written for the command, turned around for Python, so that the two cannot drift apart.
        return _OPTION.sub(lambda found: f"`{found[1].replace('-', '_')}`", super().__str__())

    @property
    def command_line(self) -> str:
        """The message as the command prints it."""
        return super().__str__()


class UserError(_Worded):
    """The user's mistake, or the environment's; the message names the thing, the rule and the value."""


class DoubtfulAnswers(_Worded, UserWarning):
    """A model whose answers look wrong as a whole; what is measured of it may say nothing."""


class InvalidSetting(UserError):
    """A setting of a method or an argument of a call breaks its rule."""


class InvalidData(UserError):
    """Data that is missing, damaged, empty, outside its range, or wrongly labelled."""


class InvalidModel(UserError):
    """A model that cannot be loaded, raises, lacks a capability, or answers in a form we do not know."""


class ModelUnreachable(UserError):
    """A model elsewhere that no longer answers: no input's fault, so that a campaign ends and can be resumed."""


class OutputRefused(UserError):
    """A place where we cannot, or must not, write."""


class MissingExtra(UserError):
    """An optional package is needed and absent."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f'{purpose} needs an optional package: pip install "unnerve[{extra}]"')


class UnknownName(UserError):
    """A name that is not in the catalogue; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        # Three at most: a longer list of guesses reads like the list of everything.
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        super().__init__(f"unknown {kind} '{name}'; {hint}")


# Not an Exception: the runner turns what a model raises into a failed seed, and an interrupt is no model's fault.
class Interrupt(BaseException):
    """Ends a run from outside; no model, method or seed is to blame, so nobody may take it for theirs."""


FROM_OUTSIDE = (KeyboardInterrupt, Interrupt)
"""What passes through even where anything that somebody's code raises is caught, ``SystemExit`` included."""


def raised(problem: BaseException) -> str:
    """Return what somebody's code raised, in one line."""
    line = next(iter(str(problem).strip().splitlines()), "")
    return f"{type(problem).__name__}: {line}" if line else type(problem).__name__
