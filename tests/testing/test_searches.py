"""A search that breaks a promise is told which."""

from collections.abc import Generator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from unnerve.core.methods import SearchSpace
from unnerve.core.streams import Streams
from unnerve.testing.searches import check_search


@dataclass(frozen=True)
class Blind:
    """Random points that keep their promises but for the one that is named."""

    broken: str = ""
    iterations: int = 6
    width = 3

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        for step in range(self.iterations + (self.broken == "longer")):
            at = 0 if self.broken == "stuck" else step
            x = space.samples(centre, streams, at, self.width)
            if self.broken == "outside":
                x = x + 2
            if self.broken == "company":
                x = space.project(x + 1e-3 * len(x), centre)
            fitness, keep = yield x
            if self.broken == "sent":
                fitness.zero_()
            if self.broken == "dice":
                torch.rand(1)
            if self.broken != "keeps":
                centre, streams = centre[keep], streams[keep.nonzero().flatten().tolist()]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("outside", "points must lie inside the region"),
        ("longer", "it must take as many steps as its iterations, 6, but took 7"),
        ("company", "a seed must be shown the same points alone and in company"),
        ("stuck", "later points must differ from the first"),
        ("sent", "the fitness it is sent must be left as it was"),
        ("dice", "the global random state of torch must be left alone"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=rf"in linf around inputs of shape \(1, 5, 5\): {words}$"):
        check_search(Blind(broken), "linf:0.1")
