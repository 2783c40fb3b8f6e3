"""A process that watches over the one that runs somebody's code: killed, ended from within, or out of time."""

import ctypes
import mmap
import os
import re
import select
import signal
import struct
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from unnerve.cli._interrupt import STOPPED
from unnerve.core.errors import InvalidModel
from unnerve.core.naming.callables import looks_like_python

__all__ = ["Shared", "hint", "runs_foreign_code", "stated_seconds", "supervised"]

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_LAST_WORDS = 5.0
"""Seconds that Python has to end when all is done; what hangs then (a thread, an exit handler) is not waited for."""
_RESUMED = frozenset({"hunt", "arena", "map", "harden", "train"})
"""Verbs whose work is kept when the process ends."""
# Written out, since to ask the forms themselves would import torch before the process is copied; a test compares.
_WORDS = "hf|pt2?|pth|ts|onnx|joblib|pkl|pickle|skops"
_PATTERN = re.compile(rf"\b({_WORDS}|python):|\.(py:|({_WORDS})\b)", re.IGNORECASE)


class Shared:
    """What the two processes know of each other: how far the work is, and until when it must show life."""

    _FORM = struct.Struct("<dBBH")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 512)  # anonymous: both processes see what either writes

    def tell(self, until: float, why: str) -> None:
        """Say until when, on the monotonic clock, the process may be left alone, and what is wrong afterwards."""
        # The words first: who then reads the time and the length finds the words that belong to them.
        text = why.encode()[:400]
        self._memory[self._FORM.size : self._FORM.size + len(text)] = text
        self._FORM.pack_into(self._memory, 0, until, 0, 0, len(text))

    def done(self, code: int) -> None:
        """Say that all is done, with this exit code."""
        self._FORM.pack_into(self._memory, 0, time.monotonic() + _LAST_WORDS, 1, code, 0)

    def told(self) -> tuple[float, str, int | None]:
        """Return until when, what is wrong afterwards, and the exit code if all is done."""
        until, done, code, size = self._FORM.unpack_from(self._memory, 0)
        text = self._memory[self._FORM.size : self._FORM.size + size].decode(errors="replace")
        return until or float("inf"), text, code if done else None


def runs_foreign_code(arguments: Sequence[str]) -> bool:
    """Say whether an argument may name somebody's code or compiled model; to be wrong costs a process that waits."""
    return any(_PATTERN.search(word) or (looks_like_python(word) and not word.startswith("zoo:")) for word in arguments)


def stated_seconds(arguments: Sequence[str], stated: str = "--seconds") -> float | None:
    """Return what such an option says, as far as it is a number; what is wrong with it is told elsewhere."""
    with suppress(ValueError):
        value = float(_stated(arguments, stated) or "")
        return value if 0 < value < float("inf") else None
    return None


def hint(arguments: Sequence[str]) -> str:
    """Return what to add where the process was ended: how to go on, if the verb has kept what it has done."""
    verb = next((word for word in arguments if word in _RESUMED), None)
    if verb is None:
        return ""
    folder = _stated(arguments, "--out") or f"runs/{verb}"
    # Of an address nobody knows here; training keeps its state beside the weights.
    begun = verb == "train" or "://" in folder or Path(folder).exists()
    return "; --resume goes on with what had begun" if begun else ""


def supervised(work: Callable[[Shared], int], say: Callable[[str, int], int], ended: Callable[[], str]) -> int:
    """Do the work in a copy of this process; return its exit code, or say what became of it and return 2.

    Call it before threads are started and torch is imported: then a copy costs a millisecond and is whole.

    Parameters
    ----------
    work : callable
        Takes what is shared with the process that waits.
    say : callable
        Prints a line and returns the code it is given.
    ended : callable
        Returns what is added to that line if the process was ended, see :func:`hint`; called when it was.
    """
    shared = Shared()
    waiting = os.getpid()
    child = os.fork() if hasattr(os, "fork") else 0
    if child:
        return _Watch(child, shared, ended).code(say)
    if hasattr(os, "fork"):
        _end_with(waiting)
        sys.addaudithook(_refuse_copies)
    own = os.getpid()
    code = work(shared)
    if os.getpid() != own:
        os._exit(2)  # a copy that a C library made; what it would say, its original says
    shared.done(code)
    return code


def _stated(arguments: Sequence[str], stated: str) -> str | None:
    """Return what is typed behind an option, also after an equals sign."""
    words = [part for word in arguments for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return next((value for option, value in pairwise(words) if option == stated), None)


class _Watch:
    """Waits for a process; signals that it gets meanwhile are the other's."""

    def __init__(self, child: int, shared: Shared, ended: Callable[[], str]) -> None:
        self.child, self.shared, self.ended, self.forwarded = child, shared, ended, set[int]()
        self.awake, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        # The wakeup pipe below is written for signals that have a handler in Python only, though this one has nothing
        # to do.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for name in _FORWARDED:
            # A shell that starts a job in the background lets it ignore Ctrl-C; that stays so.
            if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:
                signal.signal(getattr(signal, name), self._forward)

    def code(self, say: Callable[[str, int], int]) -> int:
        status, late = self._waited()
        _, why, code = self.shared.told()
        if code is not None:
            return code
        if late:
            return say(f"{why}; the process was ended{self.ended()}", 2)
        if status == STOPPED and signal.SIGINT in self.forwarded:
            return STOPPED
        if status >= 0:
            return say(f"the code under test ended the process, with exit code {status}{self.ended()}", 2)
        if -status in self.forwarded:
            # It dies of the same signal, so that a shell or a scheduler sees what it would have seen of a single
            # process.
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        name = signal.Signals(-status).name
        cause = ", perhaps because there was no more memory" if -status == signal.SIGKILL else ""
        return say(f"the process that ran the code under test was killed ({name}){cause}{self.ended()}", 2)

    def _waited(self) -> tuple[int, bool]:
        """Return how the process ended (negative: by which signal), and whether it was ended for being late."""
        late = False
        while True:
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), late
            left = self.shared.told()[0] - time.monotonic()
            if left <= 0 and not late:
                os.kill(self.child, signal.SIGKILL)
                late = True
            # Once a second, for the deadline may have been moved nearer; the end of the process wakes us at once.
            if select.select([self.awake], [], [], min(1.0, max(0.0, left)) if not late else 1.0)[0]:
                os.read(self.awake, 4096)

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self.forwarded.add(number)
        os.kill(self.child, number)


def _end_with(parent: int) -> None:
    """Have the system end this process when the one that waits for it is killed; nothing but Linux can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(2)


_LIBRARIES = tuple({sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")})


def _refuse_copies(event: str, _arguments: tuple[Any, ...]) -> None:
    """Refuse to copy the process: the copy would go on with the command as well. Libraries end their copies."""
    if event in ("os.fork", "os.forkpty") and not sys._getframe(1).f_code.co_filename.startswith(_LIBRARIES):
        raise InvalidModel("the code under test called os.fork; its copy would run the command a second time")
