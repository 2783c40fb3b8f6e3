import pytest
import torch
from torch import Tensor

from unnerve.measure.scores.vr import vr
from unnerve.measure.scores.vro import vro


@pytest.mark.parametrize(("predicted", "expected"), [(0, 0.5), (1, 0.75), (2, 0.75)])
def test_by_hand(four_draws: Tensor, predicted: int, expected: float) -> None:
    # Votes 0, 1, 0, 2 for the first input, four times 0 for the second.
    original = torch.nn.functional.one_hot(torch.tensor([predicted, 0]), 3).double()
    assert vro(four_draws, original).tolist() == [expected, 0]


def test_the_papers_example_of_unanimous_contradiction() -> None:
    # RQ1: "all predictions of the dropout-enabled model are correct, the values of VR and VRO would be 0 and 1".
    draws = torch.tensor([[0.1, 0.9]]).expand(50, 1, 2)
    assert vr(draws).tolist() == [0]
    assert vro(draws, torch.tensor([[0.6, 0.4]])).tolist() == [1]


def test_a_hundred_draws_count_exactly() -> None:
    draws = torch.zeros(100, 1, 2)
    draws[:93, 0, 0], draws[93:, 0, 1] = 1, 1
    assert vro(draws, torch.tensor([[0.7, 0.3]])).item() == pytest.approx(0.07, abs=1e-6)
