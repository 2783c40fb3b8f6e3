"""Gradients of convolutions over one channel: those of torch, made another way."""

from itertools import product

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.model import Observation, Want
from unnerve.subjects.adapters.gradients.input_convolution import reads_grey
from unnerve.subjects.adapters.gradients.quick_gradients import QuickGradients
from unnerve.subjects.adapters.torch_module import TorchModule

OURS = "_ConvolutionBackward"
Sides = int | tuple[int, int]


def both(conv: nn.Module, x: Tensor) -> tuple[Tensor, Tensor, str]:
    """Return torch's gradient and ours for the same upstream values, and which operation made ours."""
    x = x.requires_grad_()
    answer = conv(x)
    upstream = torch.randn(answer.shape, generator=torch.Generator().manual_seed(1))
    (torchs,) = torch.autograd.grad(answer, x, upstream)
    with QuickGradients():
        again = conv(x)
        (own,) = torch.autograd.grad(again, x, upstream)
    assert torch.equal(again, answer)
    return torchs, own, type(again.grad_fn).__name__


def test_gradients_are_those_of_torch() -> None:
    torch.manual_seed(0)
    kernels: list[Sides] = [1, 2, 3, (5, 3), 7]
    strides: list[Sides] = [1, 2, (1, 2)]
    paddings: list[Sides] = [0, 1, 2, (0, 3)]
    for kernel, stride, padding, size in product(kernels, strides, paddings, ((28, 28), (17, 30))):
        conv = nn.Conv2d(1, 5, kernel, stride, padding)
        torchs, own, name = both(conv, torch.randn(3, 1, *size))
        assert torch.allclose(own, torchs, atol=1e-4), (kernel, stride, padding, size)
        assert name == OURS, (kernel, stride, padding, size)


def test_a_value_by_hand() -> None:
    conv = nn.Conv2d(1, 1, 2, bias=False)
    conv.weight = nn.Parameter(torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
    x = torch.zeros(1, 1, 3, 3, requires_grad=True)
    with QuickGradients():
        (found,) = torch.autograd.grad(conv(x).sum(), x)
    # The middle is read with all four weights, a corner with one, an edge with two.
    assert found[0, 0].tolist() == [[1.0, 3.0, 2.0], [4.0, 10.0, 6.0], [3.0, 7.0, 4.0]]


@pytest.mark.parametrize(
    "conv",
    [
        nn.Conv2d(3, 6, 3, groups=3),
        nn.Conv2d(1, 4, 3, dilation=2),
        nn.Conv2d(1, 4, 3, padding="same"),
        nn.Conv2d(3, 4, 3),
        nn.Conv2d(1, 4, 5, stride=5),
    ],
    ids=["groups", "dilation", "same", "three channels", "no block of that stride"],
)
def test_others_are_left_to_torch(conv: nn.Conv2d) -> None:
    torchs, own, name = both(conv, torch.randn(2, conv.in_channels, 12, 12))
    assert name != OURS
    assert torch.equal(own, torchs)


def test_several_gradients_share_one_pass() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(6 * 64, 3))
    x = torch.randn(40, 1, 8, 8)
    model, aim, want = TorchModule(net), torch.zeros(40), Want.MANY_GRADIENTS
    _, all_three, _ = model.gradient(x, lambda seen, _: seen.logits, aim, want)
    _, usual, _ = model.gradient(x, lambda seen, _: seen.logits, aim)
    assert torch.allclose(all_three, usual, atol=1e-5)
    for c in range(3):

        def one(seen: Observation, _: Tensor, c: int = c) -> Tensor:
            return seen.logits[:, c]

        assert torch.equal(model.gradient(x, one, aim, want)[1], all_three[:, c])
    assert all(weight.grad is None for weight in net.parameters())


def test_mixed_precision_is_left_to_torch() -> None:
    conv, x = nn.Conv2d(1, 4, 3), torch.randn(2, 1, 12, 12)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torchs, own, name = both(conv, x)
    assert name != OURS
    assert torch.equal(own, torchs)


def test_which_modules_it_is_for() -> None:
    grey = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten())
    assert reads_grey(grey)
    assert not reads_grey(nn.Sequential(nn.Conv2d(8, 2, 3)))
    # torch.compile keeps the module under this name; importing it takes seconds.
    compiled = nn.Module()
    compiled.add_module("_orig_mod", grey)
    assert not reads_grey(compiled)


def test_gradients_of_functions_inside_a_module() -> None:
    class Sums(nn.Module):
        """A module that differentiates within itself."""

        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, padding=1)

        def forward(self, x: Tensor) -> Tensor:
            slopes = torch.func.vmap(torch.func.grad(lambda one: self.conv(one.unsqueeze(0)).square().sum()))(x)
            return torch.stack([x.sum(dim=(1, 2, 3)), slopes.sum(dim=(1, 2, 3))], dim=1)

    torch.manual_seed(0)
    net, x = Sums(), torch.randn(4, 1, 6, 6)
    expected = net(x)
    with QuickGradients():
        assert torch.allclose(net(x), expected, atol=1e-5)
