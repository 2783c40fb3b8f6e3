"""A reaction that breaks a promise is told which."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions.taylor import Taylor
from unnerve.testing.reactions import check_reaction


@dataclass(frozen=True)
class Slope:
    """A reaction that keeps its promises but for the one that is named."""

    broken: str = ""
    hidden = True

    @property
    def needs(self) -> Capability:
        return Capability.ANSWERS if self.broken == "needs" else Capability.NEURONS

    def cost(self, neurons: int) -> int:
        return 3 if self.broken == "price" else 2

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        inner = Taylor().prepare(subject, seeds, streams)

        def react(changed: Tensor, rows: Tensor) -> Tensor:
            found = inner(changed, rows)
            if self.broken == "shape":
                return found[..., :-1]
            if self.broken == "rest":
                return found + 1
            if self.broken == "company":
                return found * len(seeds)
            if self.broken == "dice":
                torch.rand(1)
            return found

        return react


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("needs", "needs must have NEURONS, got .*"),
        ("shape", r"it must return \(A, P, U\), .*"),
        ("rest", "no neuron must react if nothing is changed"),
        ("company", "reactions must be the same alone and in company"),
        ("price", r"three changes of two seeds must cost \[0, 9, 0, 9\] by cost\(\), but cost \[0, 6, 0, 6\]"),
        ("dice", "the global random state of torch must be left alone"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=f": {words}$"):
        check_reaction(Slope(broken))
