"""A score that breaks a promise is told which."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.gini import gini
from unnerve.testing.scores import check_score


def twice(probabilities: Tensor) -> Tensor:
    return probabilities


def constant(probabilities: Tensor) -> Tensor:
    return probabilities[:, 0] * 0


def ranks(probabilities: Tensor) -> Tensor:
    return probabilities[:, 0].argsort().argsort().float()


def overwrites(probabilities: Tensor) -> Tensor:
    return probabilities.mul_(0.5)[:, 0]


def view(probabilities: Tensor) -> Tensor:
    return probabilities[:, 0]


def dice(probabilities: Tensor) -> Tensor:
    return probabilities[:, 0] + 1e-9 * torch.rand(1)


def infinite(probabilities: Tensor) -> Tensor:
    return probabilities[:, 0] / 0


def slopes(gradients: Tensor, probabilities: Tensor) -> Tensor:
    return probabilities[:, 0]


def weighted(probabilities: Tensor, draws: Tensor, weight: float = 1.0) -> Tensor:
    return probabilities[:, 0] * weight


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (twice, r"it must return one number for each of 10 inputs, got shape \(10, 6\)"),
        (constant, "ten different inputs must have ten different values"),
        (infinite, "its values must be finite"),
        (ranks, "an input must have the same value alone and in company; input 0 has not"),
        (overwrites, "it must return a tensor of its own and leave the evidence as it was"),
        (view, "it must return a tensor of its own and leave the evidence as it was"),
        (dice, "the global random state of torch must be left alone"),
        (slopes, r"its parameters must name evidence \(probabilities, logits, .*traces\), got gradients"),
        (weighted, "got weight"),
    ],
)
def test_says_which_promise_is_broken(score: Callable[..., Tensor], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_score(score)


def test_takes_a_function_or_a_name() -> None:
    check_score(gini)
    check_score("gini")
