"""What whoever watches is told of deadlines."""

import time

from unnerve.core.progress import watched_by
from unnerve.studies.hunt._life import Life
from unnerve.studies.hunt.settings import RunSettings


def told(run: RunSettings, steps_here: bool) -> tuple[float, str]:
    heard: list[tuple[float, str]] = []
    with watched_by(lambda until, why: heard.append((until, why))):
        Life(run).show(steps_here)
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
