"""A deadline for every step of a shard, in a worker that nobody else watches."""

from collections.abc import Callable
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

from unnerve.campaign.counts import Counts
from unnerve.campaign.run import OnProgress
from unnerve.core.errors import InvalidModel

__all__ = ["within"]

T = TypeVar("T")


def within(seconds: float | None, work: Callable[[OnProgress], T]) -> T:
    """Do some work that calls back after every step; raise if one takes longer than so many seconds.

    A pass that hangs cannot be ended from within its process. So the work is done in a thread, which is left behind;
    its process ends with the campaign.
    """
    if seconds is None:
        return work(lambda counts: None)
    # In lists, so that a sign of life, an empty one, is told from any result, None included.
    signs: SimpleQueue[list[T | BaseException]] = SimpleQueue()

    def on_progress(_: Counts) -> None:
        signs.put([])

    def run() -> None:
        try:
            signs.put([work(on_progress)])
        except BaseException as problem:
            signs.put([problem])

    # With the context of this thread: who watches the process is a context variable, which a new thread would not see.
    # A daemon, because a thread that hangs would keep the process from ending.
    Thread(target=copy_context().run, args=(run,), daemon=True).start()
    while True:
        try:
            sign = signs.get(timeout=seconds)
        except Empty:
            raise InvalidModel(
                f"a step took longer than --step-seconds {seconds:g}, so that the model seems to hang; "
                "--resume goes on from here"
            ) from None
        if sign:
            break
    if isinstance(sign[0], BaseException):
        raise sign[0]
    return sign[0]
