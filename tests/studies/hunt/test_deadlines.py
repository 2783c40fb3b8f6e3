"""Deadlines that a run tells of."""

import math
import time
from contextlib import suppress

import pytest

from unnerve.core.progress import show_work, watched_by
from unnerve.studies.hunt.deadlines import Deadlines, answers_awaited
from unnerve.studies.hunt.settings import RunSettings


@pytest.mark.parametrize(
    ("run", "silence"),
    [(RunSettings(), None), (RunSettings(seconds=9), 120), (RunSettings(step_seconds=2), 152)],
    ids=["none", "seconds", "step seconds"],
)
def test_answers_are_awaited_after_the_last_step_only_where_a_deadline_is_given(
    run: RunSettings, silence: float | None
) -> None:
    told: list[tuple[float, str]] = []
    with watched_by(lambda until, why: told.append((until, why))):
        with suppress(ZeroDivisionError), answers_awaited(run):
            show_work()
            raise ZeroDivisionError
        show_work()
    if silence is None:
        assert told == []
        return
    first, second, ended = told
    assert ended == (0.0, ""), "whatever happened meanwhile"
    assert 0 <= second[0] - first[0] < 60
    assert first[1] == f"the model gave no answer for {silence} seconds after the last step"
    assert math.isfinite(first[0])


def told(run: RunSettings, steps_here: bool) -> tuple[float, str]:
    heard: list[tuple[float, str]] = []
    with watched_by(lambda until, why: heard.append((until, why))):
        Deadlines(run).show(steps_here)
    ((until, why),) = heard
    return until - time.monotonic(), why


def test_a_step_in_this_process_has_a_deadline() -> None:
    left, why = told(RunSettings(step_seconds=500), steps_here=True)
    assert 400 < left <= 500
    assert why.startswith("a step took longer than --step-seconds 500")


def test_steps_elsewhere_are_watched_elsewhere() -> None:
    """To start workers may take longer than a step, and is no sign of a model that hangs."""
    assert told(RunSettings(step_seconds=1), steps_here=False)[1] == ""
    left, why = told(RunSettings(seconds=400, step_seconds=1), steps_here=False)
    assert 400 < left <= 460
    assert why.startswith("--seconds 400 are over")


def test_without_deadlines_nothing_is_awaited() -> None:
    assert told(RunSettings(), steps_here=True)[1] == ""
