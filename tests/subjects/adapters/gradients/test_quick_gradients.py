"""The mode in which many gradients are taken: the same answers and gradients, whatever a module does."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from unnerve.subjects.adapters.gradients.quick_gradients import QuickGradients

POOLING = "_HalvingPoolBackward"


def stepped_over(x: Tensor) -> Tensor:
    """Use what a ReLU returned twice."""
    y = x.relu()
    return nn.functional.max_pool2d(y, 2) + y[..., ::2, ::2]


def overwritten(x: Tensor) -> Tensor:
    """Write into what a ReLU was given."""
    given = x * 2
    y = torch.relu(given)
    given.add_(1)
    return nn.functional.max_pool2d(y, 2)


def in_place(x: Tensor) -> Tensor:
    return nn.functional.max_pool2d(nn.functional.relu(x * 2, inplace=True), 2)


def another_one(x: Tensor) -> Tensor:
    """Pool something else than the last ReLU's."""
    nn.functional.relu(x)
    return torch.max_pool2d(x * x, 2)


def usual(x: Tensor) -> Tensor:
    answer: Tensor = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), nn.ReLU(), nn.MaxPool2d(2))(x)
    return answer


def odd_sides(x: Tensor) -> Tensor:
    return nn.functional.max_pool2d(nn.functional.relu(x[..., 1:]), 2)


@pytest.mark.parametrize("module", [usual, stepped_over, overwritten, in_place, another_one, odd_sides])
def test_answers_and_gradients_are_those_of_torch(module: Callable[[Tensor], Tensor]) -> None:
    x = torch.randn((3, 2, 8, 8), generator=torch.Generator().manual_seed(0)).requires_grad_()
    expected = module(x)
    (slopes,) = torch.autograd.grad(expected.square().sum(), x)
    with QuickGradients():
        found = module(x)
        (own,) = torch.autograd.grad(found.square().sum(), x)
    assert torch.equal(found, expected)
    assert torch.equal(own, slopes)


def test_poolings_behind_a_relu_are_made_in_one_step() -> None:
    x = torch.randn((3, 2, 8, 8), generator=torch.Generator().manual_seed(0)).requires_grad_()
    with QuickGradients():
        found = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2))(x)
    assert type(found.grad_fn).__name__ == POOLING
    (before, _), *_ = found.grad_fn.next_functions
    assert type(before).__name__ == "AccumulateGrad", "no ReLU in between"


def test_gradients_of_functions_inside_a_module() -> None:
    def slopes(x: Tensor) -> Tensor:
        of_each = torch.func.vmap(torch.func.grad(lambda one: usual(one.unsqueeze(0)).square().sum()))
        return torch.stack(list(of_each(x)))

    x = torch.randn((4, 1, 8, 8), generator=torch.Generator().manual_seed(0))
    expected = slopes(x)
    with QuickGradients():
        assert torch.equal(slopes(x), expected)
