import torch
from torch import Tensor, nn

from unnerve.testing.attacks import nudge


class Brightness(nn.Module):
    """Two logits: the first value, and its negative."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([x.flatten(1)[:, 0], -x.flatten(1)[:, 0]], dim=1)


def test_the_first_value_moves_against_the_right_class() -> None:
    inputs = torch.full((2, 1, 2, 2), 0.5)
    moved = nudge(Brightness(), inputs, torch.tensor([0, 1]))
    assert torch.allclose((moved - inputs).flatten(1)[:, 0], torch.tensor([-0.04, 0.04]))
    assert torch.equal(moved.flatten(1)[:, 1:], inputs.flatten(1)[:, 1:])
