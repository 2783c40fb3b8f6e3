import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.generate.transforms.total_variation import TotalVariation


def energy(u: Tensor, x: Tensor, weight: float) -> float:
    right, below = torch.zeros_like(u), torch.zeros_like(u)
    right[..., :-1], below[..., :-1, :] = u.diff(dim=-1), u.diff(dim=-2)
    return float(0.5 * (u - x).square().sum() + weight * (right.square() + below.square()).sqrt().sum())


def test_what_does_not_vary_stays() -> None:
    x = torch.full((1, 3, 6, 5), 0.4)
    assert torch.allclose(TotalVariation()(x), x)


def test_a_step_by_hand() -> None:
    # Two flat halves of four columns each move towards each other by weight / 4 per row of one edge.
    x = torch.zeros(1, 1, 1, 8)
    x[..., 4:] = 1
    found = TotalVariation(weight=0.2, iterations=3000)(x)
    assert found.flatten().tolist() == pytest.approx([0.05] * 4 + [0.95] * 4, abs=2e-3)


def test_no_image_nearby_is_better() -> None:
    x = torch.rand(1, 1, 7, 7, generator=torch.Generator().manual_seed(0)) * 0.5 + 0.25
    found = TotalVariation(weight=0.1, iterations=2000)(x)
    best = energy(found, x, 0.1)
    generator = torch.Generator().manual_seed(1)
    assert all(energy(found + 0.01 * torch.randn(x.shape, generator=generator), x, 0.1) > best for _ in range(20))


def test_refuses_what_cannot_be() -> None:
    with pytest.raises(InvalidSetting, match=r"^weight must be > 0, got 0$"):
        TotalVariation(0)
    with pytest.raises(InvalidData, match="takes images"):
        TotalVariation()(torch.zeros(2, 5))
