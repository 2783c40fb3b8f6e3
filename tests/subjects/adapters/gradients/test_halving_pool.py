"""Max pooling by two: torch's values and gradients, made another way."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import max_pool2d

from unnerve.subjects.adapters.gradients.halving_pool import halving_pool, is_halving


def pictures(*shape: int, coarse: bool = False) -> Tensor:
    """Return values of which many are equal if they are coarse."""
    values = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    return ((values * 2).round() if coarse else values).requires_grad_()


def gradient(answer: Tensor, x: Tensor) -> Tensor:
    upstream = torch.randn(answer.shape, generator=torch.Generator().manual_seed(1))
    (found,) = torch.autograd.grad(answer, x, upstream)
    return found


@pytest.mark.parametrize("coarse", [False, True], ids=["distinct", "ties"])
@pytest.mark.parametrize("rectified", [False, True], ids=["plain", "after a ReLU"])
@pytest.mark.parametrize("shape", [(3, 2, 6, 8), (1, 1, 2, 2), (5, 7, 28, 28)], ids=str)
def test_values_and_gradients_are_those_of_torch(shape: tuple[int, ...], rectified: bool, coarse: bool) -> None:
    x = pictures(*shape, coarse=coarse)
    expected = max_pool2d(x.relu() if rectified else x, 2)
    found = halving_pool(x, rectified)
    assert torch.equal(found, expected)
    assert torch.equal(gradient(found, x), gradient(expected, x))


def test_a_value_by_hand() -> None:
    x = torch.tensor([[[[1.0, 3.0, -2.0, -1.0], [3.0, 2.0, -4.0, -1.0]]]], requires_grad=True)
    plain, rectified = halving_pool(x, rectified=False), halving_pool(x, rectified=True)
    assert (plain.tolist(), rectified.tolist()) == ([[[[3.0, -1.0]]]], [[[[3.0, 0.0]]]])
    # Of equal values the first counts, row by row; behind a ReLU negative ones count for nothing.
    (slopes,) = torch.autograd.grad(plain.sum(), x)
    assert slopes.tolist() == [[[[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]]]
    (slopes,) = torch.autograd.grad(rectified.sum(), x)
    assert slopes.tolist() == [[[[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]]


def test_which_poolings_it_is_for() -> None:
    x = pictures(2, 3, 4, 4)
    for kernel, stride in ((2, None), (2, 2), ((2, 2), (2, 2)), ([2, 2], [])):
        assert is_halving(x, kernel, stride), (kernel, stride)
    others: list[dict[str, Any]] = [
        {"kernel_size": 3},
        {"kernel_size": 2, "stride": 1},
        {"kernel_size": 2, "padding": 1},
        {"kernel_size": 2, "dilation": 2},
        {"kernel_size": 2, "ceil_mode": True},
        {"kernel_size": 2, "return_indices": True},
    ]
    for settings in others:
        assert not is_halving(x, **settings), settings
    for other in (
        pictures(2, 3, 5, 4),
        pictures(3, 4, 4),
        x.detach(),
        x.double(),
        x.contiguous(memory_format=torch.channels_last),
    ):
        assert not is_halving(other, 2), other.shape
