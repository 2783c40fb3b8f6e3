import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from unnerve.subjects.adapters.dropout.detection import has_dropout


class Nested(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        def inside(x: Tensor) -> Tensor:
            return functional.dropout2d(x, 0.5, self.training)

        return inside(x)


class Called(nn.Module):
    def __init__(self, rate: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(x)
        return dropped


class Named(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.dropout(x, 0.5, self.training)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1)), True),
        (nn.AlphaDropout(0.1), True),
        (nn.Dropout(0.0), False),
        (nn.MultiheadAttention(4, 2, dropout=0.1), True),
        (nn.MultiheadAttention(4, 2), False),
        (nn.TransformerEncoderLayer(4, 2), True),
        (nn.LSTM(4, 4, num_layers=2, dropout=0.5), False),
        (Nested(), True),
        (Named(), True),
        (Called(0.1), True),
        (Called(0.0), False),
        (nn.Sequential(nn.Linear(2, 2), nn.ReLU()), False),
    ],
)
def test_whether_a_module_has_dropout(module: nn.Module, expected: bool) -> None:
    assert has_dropout(module) is expected
