"""The mode in which many gradients are taken: the same answers and gradients, whatever a module does."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.model import Want
from unnerve.subjects.adapters.gradients.quick_gradients import QuickGradients
from unnerve.subjects.adapters.torch_module import TorchModule

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


def written_later(x: Tensor) -> Tensor:
    """Write into what a ReLU was given, after the pooling."""
    given = x * 2
    y = nn.functional.max_pool2d(given.relu(), 2)
    given.add_(1)
    return y


def hooked(x: Tensor) -> Tensor:
    """Double the gradient of what a ReLU returned."""
    y = x.relu()
    y.register_hook(lambda slopes: slopes * 2)
    return nn.functional.max_pool2d(y, 2)


def by_keywords(x: Tensor) -> Tensor:
    return torch.max_pool2d(input=torch.relu(input=x), kernel_size=2)


def odd_sides(x: Tensor) -> Tensor:
    return nn.functional.max_pool2d(nn.functional.relu(x[..., 1:]), 2)


@pytest.mark.parametrize(
    "module",
    [usual, stepped_over, overwritten, in_place, another_one, written_later, hooked, by_keywords, odd_sides],
)
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


def test_modules_that_differentiate_within_themselves_are_run_without_it() -> None:
    class Weighted(nn.Module):
        """Weigh what a ReLU returned by its own gradient."""

        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, padding=1)

        def forward(self, x: Tensor) -> Tensor:
            with torch.enable_grad():
                y = self.conv(x).relu()
                pooled = nn.functional.max_pool2d(y, 2)
                (slopes,) = torch.autograd.grad(pooled.square().sum(), y, create_graph=True)
            weighted: Tensor = (y * slopes).sum(dim=(2, 3))
            return weighted

    torch.manual_seed(0)
    model, x = TorchModule(Weighted()), torch.randn(4, 1, 6, 6)
    with QuickGradients(), pytest.raises(RuntimeError, match="not have been used in the graph"):
        model.module(x)
    _, quick, _ = model.gradient(x, lambda seen, _: seen.logits, torch.zeros(4), Want.MANY_GRADIENTS)
    _, usual_way, _ = model.gradient(x, lambda seen, _: seen.logits, torch.zeros(4))
    assert torch.equal(quick, usual_way)


def test_gradients_of_functions_inside_a_module() -> None:
    def slopes(x: Tensor) -> Tensor:
        of_each = torch.func.vmap(torch.func.grad(lambda one: usual(one.unsqueeze(0)).square().sum()))
        return torch.stack(list(of_each(x)))

    x = torch.randn((4, 1, 8, 8), generator=torch.Generator().manual_seed(0))
    expected = slopes(x)
    with QuickGradients():
        assert torch.equal(slopes(x), expected)
