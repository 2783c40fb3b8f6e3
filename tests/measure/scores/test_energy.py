import math

import pytest
import torch

from unnerve.measure.scores.energy import energy


def test_by_hand() -> None:
    logits = torch.tensor([[0.0, 0.0], [math.log(3), 0.0], [100.0, 0.0]])
    assert energy(logits).tolist() == pytest.approx([-math.log(2), -math.log(4), -100], abs=1e-6)


def test_logarithms_of_probabilities_have_no_energy() -> None:
    assert energy(torch.tensor([[0.2, 0.8], [0.5, 0.5]], dtype=torch.float64).log()).tolist() == pytest.approx([0, 0])
