"""A region that breaks a promise is told which."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from unnerve.core.facts import RegionFacts
from unnerve.core.streams import Streams
from unnerve.generate.regions.linf import Linf
from unnerve.testing.regions import check_region


@dataclass(frozen=True)
class Box:
    """A cube that keeps its promises but for the one that is named."""

    broken: str = ""

    @property
    def inner(self) -> Linf:
        return Linf(0.1)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        return self.inner.facts(shape)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        if self.broken == "copy":
            return self.inner.project(x.clone(), centre)
        if self.broken == "outside":
            return x
        return self.inner.project(x, centre)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        inside = self.inner.contains(x, centre)
        return torch.full_like(inside, bool(inside.all())) if self.broken == "rows" else inside

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        if self.broken == "stuck":
            return self.inner.samples(centre, streams, 0, count)
        if self.broken == "seed":
            return centre.unsqueeze(1).expand(-1, count, *centre.shape[1:])
        return self.inner.samples(centre, streams, step, count)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("copy", "project must change its argument in place and return it"),
        ("outside", "projected points must be contained"),
        ("rows", r"contains must judge each row by itself, got \[False, False, False, False, False\]"),
        ("stuck", "samples of another step must be others"),
        ("seed", "samples must differ from the seed"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=rf"around inputs of shape \(1, 6, 6\): {words}$"):
        check_region(Box(broken))


@dataclass(frozen=True)
class Ball(Box):
    """A cube that knows its steepest steps, wrongly."""

    @property
    def reach(self) -> float:
        return {"short": 0.05, "far": 0.2}.get(self.broken, 0.1)

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        low, high = self.inner.limits(centre)
        return (low + 0.05, high) if self.broken == "narrow" else (low, high)

    def steepest(self, gradient: Tensor) -> Tensor:
        return -gradient.sign() if self.broken == "down" else gradient.sign()


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("far", "a step of length one, times reach, must lead no farther than the rim"),
        ("short", "a step of length one, times 1.01 reach, must lead beyond the rim"),
        ("narrow", "every coordinate of a sample must lie within the limits"),
        ("down", "the steepest step must climb"),
    ],
)
def test_says_what_is_wrong_with_a_ball(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_region(Ball(broken), (12,))
