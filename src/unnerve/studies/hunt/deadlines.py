"""Deadlines for a model that hangs: told to whoever watches this process, step by step."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from unnerve.core.progress import expect_work, patience, show_life, show_work
from unnerve.studies.hunt.settings import RunSettings

__all__ = ["Deadlines", "answers_awaited"]

_GRACE = 5.0
"""Seconds beyond ``--seconds`` in any case, for writing what was found."""
_START = 60.0
"""The same where workers have to be started first, and take their steps elsewhere."""


class Deadlines:
    """Deadlines of a run, and of its steps.

    Parameters
    ----------
    run : RunSettings
        Its seconds are counted from now on.
    """

    def __init__(self, run: RunSettings) -> None:
        self.run, self.last, self.longest = run, time.monotonic(), 0.0
        self.until = float("inf") if run.seconds is None else self.last + run.seconds
        """When the time is over, on the monotonic clock; infinity if it never is."""

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until

    def show(self, steps_here: bool = True) -> None:
        """Say that a step has ended, and until when the next one must, if it is taken in this process."""
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        step = self.run.step_seconds if steps_here else None
        # A step that is as long as those before is not cut off: only what takes far longer is taken to hang.
        over = self.until + max(_GRACE if steps_here else _START, 2 * self.longest)
        if step is not None and now + step < over:
            show_life(now + step, f"a step took longer than --step-seconds {step:g}, so that the model seems to hang")
        elif self.until < float("inf"):
            show_life(over, f"--seconds {self.run.seconds:g} are over and the model does not answer")
        else:
            show_life(0.0, "")

    def await_answers(self, first: bool) -> None:
        """Wait by work that is done, not by steps, while the model is asked before the first step or after the last.

        A pass may be of many more rows there than a step's, and many passes follow each other.
        """
        if self.run.step_seconds is None and self.run.seconds is None:
            return
        # A run that has found something shall end whole, however little time it was given.
        silence = patience(self.run.step_seconds, self.run.seconds if first else None)
        where = "before the first step" if first else "after the last step"
        expect_work(silence, f"the model gave no answer for {silence:g} seconds {where}")
        show_work()

    def end(self) -> None:
        """Say that nothing is awaited any more."""
        if self.run.step_seconds is not None or self.run.seconds is not None:
            show_life(0.0, "")


@contextmanager
def answers_awaited(run: RunSettings) -> Iterator[None]:
    """Let a model that stops answering after the last step be ended, too, while the context lasts."""
    deadlines = Deadlines(run)
    deadlines.await_answers(first=False)
    try:
        yield
    finally:
        deadlines.end()
