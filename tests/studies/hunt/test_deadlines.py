"""Deadlines that a run tells of."""

import math
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from unnerve import hunt, model
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


def test_the_first_answers_are_awaited_no_longer_than_all_seconds_and_a_start() -> None:
    heard: list[str] = []
    with watched_by(lambda until, why: heard.append(why)):
        for run in (RunSettings(seconds=1), RunSettings(seconds=1, step_seconds=9), RunSettings(step_seconds=2)):
            Deadlines(run).await_answers(first=True)
    words = "the model gave no answer for {} seconds before the first step"
    assert heard == [words.format(31), words.format(31), words.format(152)]


@pytest.mark.parametrize("given", [{"step_seconds": 3.0}, {"seconds": 60.0}, {"seconds": 60.0, "step_seconds": 3.0}])
def test_a_slow_model_that_becomes_unstable_is_waited_for(given: dict[str, float], tmp_path: Path) -> None:
    """Probes, and judging again all that was stored, are many passes: a step's deadline would end them ever again."""
    told: list[str] = [""]
    asked: dict[str, set[str]] = {"begun": set(), "done": set()}
    begun, done = (
        tmp_path / "run" / "campaign.json",
        tmp_path / "run" / "shards" / "method00-seeds0000004-0000008.parquet",
    )

    class Late(torch.nn.Module):
        """Right on bright images, until all shards are stored; then it draws."""

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if begun.exists():
                asked["done" if done.exists() else "begun"].add(told[-1])
            score = (x - 0.5).flatten(1).mean(1) * 50
            if done.exists():
                score = score + 3 * torch.randn(len(x))
            return torch.stack([-score, score], 1)

    data = torch.full((8, 1, 3, 3), 0.55), torch.ones(8, dtype=torch.int64)
    with watched_by(lambda until, why: told.append(why)):
        hunt(model(Late().eval()), data, "fgsm", tmp_path / "run", region="linf:0.1", inputs=8, shard=4, **given)
    assert len(list(done.parent.iterdir())) == 2
    assert asked["done"], "it was asked again"
    assert all(" after the last step" in why for why in asked["done"])
    assert {" before the first step" in why for why in asked["begun"]} == {True, False}, "steps have their own"


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
