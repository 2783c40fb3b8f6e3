import numpy as np
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


def test_it_is_art_s_minimum_where_the_two_variations_agree() -> None:
    art = pytest.importorskip("art.defences.preprocessor.variance_minimization")
    # ART adds the differences along rows to those along columns, where ours are the two sides of a right angle: they
    # are the same in stripes. It takes the distance itself, not half of its square, so that a weight is worth another.
    stripes = torch.arange(12) // 4 % 2 * 0.5 + 0.2 + 0.1 * torch.rand(12, generator=torch.Generator().manual_seed(1))
    x = stripes.expand(1, 1, 6, 12).contiguous()
    ours = TotalVariation(weight=0.05, iterations=5000)(x)
    weight = 0.05 / float((ours - x).norm())
    minimised = art.TotalVarMin(prob=1.0, norm=1, lamb=weight, max_iter=1000)
    theirs = torch.from_numpy(minimised(x[0].permute(1, 2, 0).numpy()[None])[0]).permute(0, 3, 1, 2)

    def loss(u: Tensor) -> float:
        return float(minimised._loss_func(u.double().flatten().numpy(), x[0, 0].numpy(), np.ones(72), 1, weight))

    assert loss(ours) <= loss(theirs) + 1e-5 < loss(x) - 0.2
    # Its minimiser follows slopes, and may stop at an edge a little early.
    assert loss(theirs) < 1.005 * loss(ours)
    assert float((ours - x).abs().max()) > 0.04
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0.015)


def test_refuses_what_cannot_be() -> None:
    with pytest.raises(InvalidSetting, match=r"^weight must be > 0, got 0$"):
        TotalVariation(0)
    with pytest.raises(InvalidData, match="takes images"):
        TotalVariation()(torch.zeros(2, 5))
