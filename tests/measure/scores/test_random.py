import torch

from unnerve.core.methods import evidence
from unnerve.measure.scores.random import random


def test_returns_each_inputs_own_number() -> None:
    assert random(torch.tensor([0.3, 0.1])).tolist() == torch.tensor([0.3, 0.1]).tolist()


def test_returns_a_copy() -> None:
    uniform = torch.tensor([0.3, 0.1])
    random(uniform).zero_()
    assert uniform[0] > 0


def test_asks_for_a_number_and_not_for_probabilities() -> None:
    assert evidence(random) == ("uniform",)
