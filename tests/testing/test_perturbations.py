"""A perturbation that breaks a promise is told which."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.testing.perturbations import check_perturbation


@dataclass(frozen=True)
class Shift:
    """A change of brightness that keeps its promises but for the one that is named."""

    broken: str = ""

    def dimensions(self, shape: tuple[int, ...]) -> int:
        return 2 if self.broken == "size" else 1

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        drawn = streams.uniform(0 if self.broken == "steps" else step, 0, (count, 1))
        return drawn * 3 if self.broken == "cube" else drawn

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        change = parameters.view(*parameters.shape[:2], *[1] * (inputs.ndim - 1)) - 0.5
        made = inputs.unsqueeze(1) + change
        if self.broken == "company":
            made = made + 0.01 * len(inputs)
        if self.broken == "overwrites":
            inputs.zero_()
        if self.broken == "dice":
            torch.rand(1)
        return made if self.broken == "range" else made.clamp(0, 1)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("size", r"draw must return \(N, count, K\), \(5, 400, 2\), got \(5, 400, 1\)"),
        ("cube", r"drawn parameters must lie in \[0, 1\)"),
        ("range", r"copies must lie in \[0, 1\]"),
        ("company", "copies must be the same alone and in company"),
        ("steps", "another step must draw other parameters"),
        ("overwrites", "apply must leave the inputs as they were"),
        ("dice", "the global random state of torch must be left alone"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=rf"of inputs of shape \(1, 8, 8\): {words}$"):
        check_perturbation(Shift(broken))
