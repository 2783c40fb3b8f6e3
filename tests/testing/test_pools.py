"""A pool hunter that breaks a promise is told which."""

from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.model import Capability
from unnerve.core.pools import Pool, PoolState
from unnerve.testing.hunters import check_hunter


@dataclass(frozen=True)
class Noisy:
    """A queue that keeps its promises but for the one that is named."""

    broken: str = ""
    hidden: list[int] = field(default_factory=list, compare=False)
    needs = Capability.ANSWERS

    @property
    def regions(self) -> tuple[str, ...] | None:
        return ("linf",) if self.broken == "regions" else None

    def begin(self, pool: Pool) -> PoolState:
        return PoolState({"queue": pool.seeds.batch.inputs.clone()}, {"turn": 0})

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        living = pool.wanted.nonzero().flatten()
        if self.broken == "wanted":
            living = torch.arange(len(pool.wanted))
        row = living[state.values["turn"] % len(living)].view(1)
        state.values["turn"] += 1
        step = len(self.hidden) if self.broken == "state" else pool.step
        self.hidden.append(1)
        centre = pool.seeds.batch.inputs[row]
        far = pool.space.samples(centre, pool.streams, 0 if self.broken == "draws" else step, 1).squeeze(1)
        x = torch.lerp(state.tensors["queue"][row], far, 0.5)
        x = pool.space.project(x, centre) + (2 if self.broken == "region" else 0)
        if self.broken != "charge":
            pool.subject.model.of(row).observe(x)
        if self.broken == "seeds":
            pool.seeds.batch.inputs.mul_(1 - 1e-6)
        if self.broken == "global":
            torch.rand(1)
        state.tensors["queue"][row] = x
        return Candidates(x.double() if self.broken == "type" else x, row, pool.step)


def test_one_that_keeps_its_promises_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.testing.hunters.promise_json", lambda kind, method: None)
    check_hunter(Noisy())


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("region", "candidates must lie inside the region"),
        ("type", "candidates must be float32"),
        ("state", "a pool that was stored between steps must go on as if it had not been"),
        ("wanted", "seeds that have left the pool must be left alone"),
        ("charge", "passes must be charged"),
        ("seeds", "the seeds' inputs must be left as they were"),
        ("global", "the global random state of torch must be left alone"),
        ("regions", "a region that it does not work in must be refused"),
    ],
)
def test_a_broken_promise_is_named(broken: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.testing.hunters.promise_json", lambda kind, method: None)
    with pytest.raises(AssertionError, match=words):
        check_hunter(Noisy(broken))


_QUEUE: dict[str, int] = {}


@dataclass(frozen=True)
class Forgetful(Noisy):
    """Keeps its place outside the state, where ``begin`` puts it back: alone, nobody notices."""

    def begin(self, pool: Pool) -> PoolState:
        _QUEUE["turn"] = 0
        return super().begin(pool)

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        state.values["turn"] = _QUEUE["turn"]
        _QUEUE["turn"] += 1
        return super().step(pool, state)


def test_what_begin_resets_outside_the_state_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.testing.hunters.promise_json", lambda kind, method: None)
    with pytest.raises(AssertionError, match="two pools whose steps alternate must each go on as if alone"):
        check_hunter(Forgetful())


def test_a_region_of_another_name_must_be_refused_by_the_hunter_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Particular(Noisy):
        def begin(self, pool: Pool) -> PoolState:
            if type(pool.space).__name__ != "Linf":
                raise InvalidSetting(f"noisy works in linf, got {type(pool.space).__name__.lower()}")
            return super().begin(pool)

    monkeypatch.setattr("unnerve.testing.hunters.promise_json", lambda kind, method: None)
    given: dict[str, Any] = {"broken": "regions"}
    check_hunter(Particular(**given))
