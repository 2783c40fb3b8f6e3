from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from tests.subjects.adapters.dropout.networks import NETWORKS, plain_loop
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._sampling import Sampling
from unnerve.subjects.adapters.dropout.settings import Dropout

EVERY = pytest.mark.parametrize("name", sorted(NETWORKS))
MASKS = Masks(5, tuple(map(str, range(40))), draws=5)


def sampling(net: nn.Module, x: Tensor) -> Sampling:
    with torch.no_grad():
        return Sampling(net.eval(), "net", Dropout(), net, x)


def drawn(made: Sampling, x: Tensor, masks: Masks = MASKS) -> Tensor:
    with torch.no_grad():
        answered = list(made.answers(x.clone(), masks, overwritten=True))
    assert all(draws == 1 for _, draws in answered)
    return torch.stack([output for output, _ in answered if isinstance(output, Tensor)]).softmax(dim=-1)


class Counter(TorchFunctionMode):
    """Counts how often a function is really run."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function, self.count = function, 0

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.count += func is self.function
        return func(*args, **(kwargs or {}))


@EVERY
def test_bits_are_those_of_the_plain_loop(name: str, small_images: Tensor) -> None:
    net = NETWORKS[name]()
    made = sampling(net, small_images)
    ours, plain = drawn(made, small_images), plain_loop(net, small_images, MASKS, made.batch_axes)
    assert torch.equal(ours, plain)
    assert len({tuple(draw.flatten().tolist()) for draw in ours}) == MASKS.draws


@EVERY
def test_two_micro_batches_do_not_know_each_other(name: str, small_images: Tensor) -> None:
    made = sampling(NETWORKS[name](), small_images)
    first = drawn(made, small_images)
    drawn(made, 1 - small_images)
    assert torch.equal(drawn(made, small_images), first)


def test_the_prefix_runs_once(small_images: Tensor) -> None:
    made = sampling(NETWORKS["sequence1"](), small_images)
    with Counter(torch.conv2d) as convolutions, Counter(functional.linear) as dense:
        drawn(made, small_images)
    assert convolutions.count == 1
    assert dense.count == 2 * MASKS.draws


def test_the_answer_without_dropout_shares_the_prefix(small_images: Tensor) -> None:
    net = NETWORKS["sequence1"]()
    made = sampling(net, small_images)
    with torch.no_grad(), Counter(torch.conv2d) as convolutions, Counter(functional.linear) as dense:
        first, *others = made.answers(small_images, MASKS, overwritten=False, whole_first=True)
    assert convolutions.count == 1
    assert dense.count == 2 * (1 + MASKS.draws)
    assert isinstance(first.output, Tensor)
    with torch.no_grad():
        assert torch.equal(first.output, net(small_images))
    assert len(others) == MASKS.draws


def test_a_clean_branch_runs_once_after_dropout_too(small_images: Tensor) -> None:
    made = sampling(NETWORKS["branching"](), small_images)
    with Counter(functional.linear) as dense:
        drawn(made, small_images)
    assert dense.count == 3 + MASKS.draws


def test_another_way_through_the_module_is_noticed(small_images: Tensor) -> None:
    class Turn(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other, self.last = nn.Linear(64, 8), nn.Linear(64, 8), nn.Linear(8, 4)

        def forward(self, x: Tensor) -> Tensor:
            x = x.flatten(1)
            x = self.other(x / x.max()).tanh() * 2 if x.max() > 1 else self.one(x)
            answer: Tensor = self.last(functional.dropout(x, 0.5, self.training))
            return answer

    net = Turn()
    made = sampling(net, small_images)
    assert torch.equal(drawn(made, small_images * 3), plain_loop(net, small_images * 3, MASKS))
    assert torch.equal(drawn(made, small_images), plain_loop(net, small_images, MASKS))


def test_dropout_that_some_inputs_call_more_often(small_images: Tensor) -> None:
    class More(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            x = functional.dropout(x, 0.5, self.training)
            return (functional.dropout(x, 0.5, self.training) if x.max() > 5 else x).flatten(1)

    made = sampling(More(), small_images)
    with pytest.raises(InvalidModel, match="calls dropout more often for some inputs than for others"):
        drawn(made, small_images * 9)


def test_one_draw(small_images: Tensor) -> None:
    net = NETWORKS["inplace"]()
    made = sampling(net, small_images)
    one = Masks(5, MASKS.ids, draws=1)
    assert torch.equal(drawn(made, small_images, one), plain_loop(net, small_images, one))


def test_lists_can_be_changed_by_who_gets_them(small_images: Tensor) -> None:
    class Pops(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            parts = list(x.flatten(1).split(16, dim=1))
            numbers = torch.ones(3).tolist()
            numbers.append(1.0)
            parts.pop()
            scale = torch.tensor(numbers[:4])
            return functional.dropout(parts.pop(), 0.5, self.training)[:, :4] * scale

    made = sampling(Pops(), small_images)
    assert torch.equal(drawn(made, small_images), plain_loop(Pops(), small_images, MASKS))
