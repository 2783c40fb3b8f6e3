import pytest
import torch

from unnerve.measure.curves.eff import eff


def test_by_hand() -> None:
    successes = torch.tensor([[True, False, False, False], [True, True, True, True], [False] * 4])
    assert eff(successes).tolist() == [0.25, 1, 0]


def test_the_papers_example() -> None:
    # NSATP II-B: of 50 copies of each picture, 8 and 5 changed the answer.
    successes = torch.zeros(2, 50, dtype=torch.bool)
    successes[0, 13:21] = True
    successes[1, ::10] = True
    assert eff(successes).tolist() == pytest.approx([0.16, 0.10])
