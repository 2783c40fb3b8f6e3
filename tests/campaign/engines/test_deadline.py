"""Steps that take too long, in a worker that nobody watches."""

import threading
from contextvars import ContextVar

import pytest

from unnerve.campaign.counts import Counts
from unnerve.campaign.engines._deadline import within
from unnerve.campaign.run import OnProgress
from unnerve.core.errors import InvalidModel

KNOWN: ContextVar[str] = ContextVar("known", default="nothing")


def steps(on_progress: OnProgress) -> str:
    for _ in range(3):
        on_progress(Counts())
    return KNOWN.get()


@pytest.mark.parametrize("seconds", [None, 600.0])
def test_what_ends_in_time_is_returned(seconds: float | None) -> None:
    before = KNOWN.set("where it runs")
    try:
        assert within(seconds, steps) == "where it runs"
    finally:
        KNOWN.reset(before)


@pytest.mark.parametrize("seconds", [None, 600.0])
def test_what_is_raised_is_raised(seconds: float | None) -> None:
    def breaks(on_progress: OnProgress) -> None:
        on_progress(Counts())
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        within(seconds, breaks)


def test_what_hangs_is_left_behind() -> None:
    never = threading.Event()

    def hangs(on_progress: OnProgress) -> None:
        on_progress(Counts())
        never.wait()

    try:
        with pytest.raises(
            InvalidModel, match=r"^a step took longer than `step_seconds` 0\.05, so that the model seems"
        ):
            within(0.05, hangs)
    finally:
        never.set()
