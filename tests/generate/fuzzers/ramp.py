"""A network whose answers are known: whether an image is light or dark."""

import torch
from torch import Tensor, nn

__all__ = ["Ramp"]


class Ramp(nn.Module):
    """Class 1 where the mean of the image lies below a border; a dense layer is its only hidden one."""

    def __init__(self, border: float) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense = nn.Linear(16, 2)
        self.dense.weight.data = torch.stack([torch.ones(16), -torch.ones(16)])
        self.dense.bias.data = torch.tensor([-16 * border, 16 * border])

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.dense(self.flatten(x))
        return answer
