"""A model under test as something to train."""

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.adapters.trainable import Trainable


class Broken(nn.Module):
    """Answers with NaN for dark images."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.dense(x.flatten(1)) / (x.mean() > 0.5).float()
        return answer * 0 + answer


@pytest.mark.parametrize("outputs", ["auto", "logits"])
def test_the_probe_is_checked_and_what_is_trained_is_not(outputs: str) -> None:
    model, bright = TorchModule(Broken(), outputs=outputs), torch.ones(4, 1, 4, 4)
    with pytest.raises(InvalidModel, match="output has NaN or infinite values"):
        Trainable(model, bright * 0)
    trained = Trainable(model, bright).train()
    assert not trained(bright * 0).isfinite().any(), "the loop looks at the loss"
    with pytest.raises(InvalidModel, match="output has NaN or infinite values"):
        trained.eval()(bright * 0)
