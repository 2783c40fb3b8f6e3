from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.subjects.adapters.dropout.networks import NETWORKS, plain_loop
from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._draws_together import draws_together
from unnerve.subjects.adapters.dropout._sampling import Sampling
from unnerve.subjects.adapters.dropout.settings import Dropout

MASKS = Masks(5, ("a", "a", "b", "c"), draws=50)


class Head(nn.Module):
    """A network whose forward pass after the dropout is given."""

    def __init__(self, head: Callable[["Head", Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(64, 16), head
        self.middle, self.last = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.body(x.flatten(1)).relu()
        return self.head(self, hidden, functional.dropout(hidden, 0.5, self.training))


def plain(net: Head, _clean: Tensor, dropped: Tensor) -> Tensor:
    answer: Tensor = net.last(functional.dropout(net.middle(dropped).relu(), 0.3, net.training))
    return answer


def skipping(net: Head, clean: Tensor, dropped: Tensor) -> Tensor:
    answer: Tensor = net.last(net.middle(dropped) + clean)
    return answer


def counting(net: Head, clean: Tensor, dropped: Tensor) -> Tensor:
    answer: Tensor = net.last(dropped).reshape(len(clean), -1)
    return answer


def mixing(net: Head, _clean: Tensor, dropped: Tensor) -> Tensor:
    """Looks at the whole batch, as layers do that normalise by it."""
    answer: Tensor = net.last(dropped - dropped.mean(dim=0))
    return answer


def looking(net: Head, clean: Tensor, dropped: Tensor) -> Tensor:
    answer: Tensor = net.last(dropped)
    return answer + 1 if clean.sum().item() > 0 else answer


def filling(net: Head, clean: Tensor, dropped: Tensor) -> Tensor:
    answer: Tensor = net.last(dropped) + torch.arange(len(clean)).unsqueeze(1)
    return answer


def sampling(net: nn.Module, x: Tensor) -> Sampling:
    with torch.no_grad():
        return Sampling(net.eval(), "net", Dropout(), net, x)


def drawn(made: Sampling, x: Tensor, masks: Masks) -> tuple[Tensor, list[int]]:
    """Return probabilities (T, N, C), and how many draws each pass had."""
    with torch.no_grad():
        answered = list(made.answers(x.clone(), masks, overwritten=False))
    outputs = torch.cat([output for output, _ in answered if isinstance(output, Tensor)])
    return outputs.view(-1, len(x), 4)[: masks.draws].softmax(dim=-1), [draws for _, draws in answered]


@pytest.mark.parametrize("net", [Head(plain), NETWORKS["sequence1"]()], ids=["dense", "convolutions"])
def test_draws_of_few_rows_are_one_pass(net: nn.Module, small_images: Tensor) -> None:
    x = small_images[:4]
    ours, passes = drawn(sampling(net, x), x, MASKS)
    assert passes == [32, 32]
    assert torch.allclose(ours, plain_loop(net, x, MASKS), atol=1e-6)
    assert len({tuple(draw.flatten().tolist()) for draw in ours}) == MASKS.draws
    assert not torch.equal(ours[:, 0], ours[:, 2])


def test_the_answer_without_dropout_comes_alone(small_images: Tensor) -> None:
    net, x = Head(plain).eval(), small_images[:4]
    made = sampling(net, x)
    with torch.no_grad():
        first, *others = made.answers(x, MASKS, overwritten=False, whole_first=True)
        assert isinstance(first.output, Tensor)
        assert torch.equal(first.output, net(x))
    assert [first.draws, *(one.draws for one in others)] == [1, 32, 32]
    outputs = torch.cat([one.output for one in others if isinstance(one.output, Tensor)])
    assert torch.equal(outputs.view(-1, 4, 4)[: MASKS.draws].softmax(dim=-1), drawn(made, x, MASKS)[0])


def test_bits_do_not_depend_on_how_many_draws_are_asked_for(small_images: Tensor) -> None:
    made = sampling(Head(plain), small_images)
    whole, _ = drawn(made, small_images[:4], MASKS)
    for start, draws in ((0, 1), (7, 5), (32, 18)):
        some, _ = drawn(made, small_images[:4], Masks(5, MASKS.ids, draws, start))
        assert torch.equal(some, whole[start : start + draws])


@pytest.mark.parametrize("head", [skipping, counting, mixing, looking, filling])
def test_what_does_not_go_row_by_row_is_drawn_one_by_one(
    head: Callable[[Head, Tensor, Tensor], Tensor], small_images: Tensor
) -> None:
    net, x = Head(head), small_images[:4]
    ours, passes = drawn(sampling(net, x), x, MASKS)
    assert passes == [1] * MASKS.draws
    if head is not mixing:  # the plain loop has more rows than these
        assert torch.allclose(ours, plain_loop(net, x, MASKS)[:, :4], atol=1e-6)


def test_inputs_that_go_another_way_are_drawn_one_by_one(small_images: Tensor) -> None:
    class Forked(nn.Module):
        """Takes another way for long batches, and needs there what was not dropped."""

        def __init__(self) -> None:
            super().__init__()
            self.body, self.last = nn.Linear(64, 16), nn.Linear(16, 4)

        def forward(self, x: Tensor) -> Tensor:
            hidden = self.body(x.flatten(1))
            if len(x) == 4:
                hidden = hidden.sin()
                answer: Tensor = self.last(functional.dropout(hidden, 0.5, self.training) + hidden)
                return answer
            other: Tensor = self.last(functional.dropout(hidden, 0.5, self.training))
            return other

    net, x = Forked(), small_images[:4]
    made = sampling(net, small_images[:3])
    assert drawn(made, small_images[:8], Masks(5, MASKS.ids + MASKS.ids))[1] == [16] * 4
    _, passes = drawn(made, x, MASKS)
    assert passes == [1] * MASKS.draws


def test_gradients_have_one_draw_a_row(small_images: Tensor) -> None:
    made, x = sampling(Head(plain), small_images), small_images[:4].clone().requires_grad_()
    ((output, draws),) = made.answers(x, Masks(5, MASKS.ids, 1), overwritten=False)
    assert draws == 1
    assert isinstance(output, Tensor)
    assert output.requires_grad


def test_how_many_draws_are_one_pass() -> None:
    assert draws_together(4, widest=5_120) == 32
    assert draws_together(1, widest=5_120) == 128
    assert draws_together(4, widest=2**17) == 8  # 32 rows fill the cache
    assert draws_together(4, widest=2**22) == 1
    assert draws_together(32, widest=4) == 1
