import math

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.mend.defences.distillation import Distillation


def test_the_loss_by_hand() -> None:
    # At temperature 2, logits 2 ln 3 and 0 are the probabilities 3/4 and 1/4.
    taught = torch.tensor([[2 * math.log(3), 0.0]])
    even = Distillation(2).loss(torch.zeros(1, 2), taught)
    assert float(even) == pytest.approx(4 * math.log(2), abs=1e-5)
    own = Distillation(2).loss(taught, taught)
    assert float(own) == pytest.approx(4 * (0.75 * math.log(4 / 3) + 0.25 * math.log(4)), abs=1e-5)


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^temperature must be > 0, got 0$"):
        Distillation(0)
    with pytest.raises(InvalidSetting, match=r"^epochs must be >= 1, got 0$"):
        Distillation(epochs=0)
