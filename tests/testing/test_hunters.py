"""A hunter that breaks a promise is told which."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.testing.hunters import check_hunter


@dataclass(frozen=True)
class Noisy:
    """Noise that keeps its promises but for the one that is named."""

    broken: str = ""
    needs = Capability.ANSWERS
    width = 1

    @property
    def regions(self) -> tuple[str, ...] | None:
        return ("linf",) if self.broken == "regions" else None

    @property
    def draws(self) -> bool:
        return self.broken != "draws"

    @property
    def start_cost(self) -> int:
        return 0

    def step_cost(self, classes: int) -> int:
        return 0 if self.broken == "price" else 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        rows = torch.arange(len(seeds))
        for step in range(4):
            subject.model.charge(rows, 1)
            x = space.samples(seeds.batch.inputs[rows], streams[rows.tolist()], step, 1).squeeze(1)
            x, number = self._spoilt(x, seeds, step)
            wanted = yield Candidates(x, rows, number)
            if self.broken != "wanted":
                rows = rows[wanted[rows]]
            if len(rows) == 0:
                return

    def _spoilt(self, x: Tensor, seeds: Seeds, step: int) -> tuple[Tensor, int]:
        if self.broken == "region":
            x = x + 2
        if self.broken == "type":
            x = x.double()
        if self.broken == "company":
            x = (x + 1e-6 * len(seeds)).clamp(0, 1)
        if self.broken == "seeds":
            seeds.batch.inputs.mul_(1 - 1e-7)
        if self.broken == "global":
            torch.rand(1)
        return x, step + (self.broken == "steps")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("region", "candidates must lie inside the region, but some of step 0 do not"),
        ("type", "candidates must be float32, got torch.float64"),
        ("steps", "steps must be numbered from 0"),
        ("company", "a seed's candidates must be the same alone and in company; those of seed 3 are not"),
        ("wanted", "seeds that are no longer wanted must be left out"),
        ("price", "a seed that is no longer wanted must cost nothing more"),
        ("seeds", "the seeds' inputs must be left as they were"),
        ("global", "the global random state of torch must be left alone"),
        ("draws", "draws is False, but random numbers were drawn"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError) as error:
        check_hunter(Noisy(broken), "linf:0.1")
    assert str(error.value).endswith(f" in linf: {words}")


def test_a_region_that_is_not_among_its_own_must_be_refused() -> None:
    with pytest.raises(AssertionError, match=r"in l2: a region that it does not work in must be refused with Invalid"):
        check_hunter(Noisy("regions"), "l2:0.5")


def test_who_needs_more_than_it_says_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    given: Any = "ANSWERS"
    monkeypatch.setattr(Noisy, "needs", given)
    with pytest.raises(AssertionError, match="needs must be a Capability, got ANSWERS"):
        check_hunter(Noisy(), "linf:0.1")
