from collections.abc import Callable
from dataclasses import replace
from math import exp

import pytest
import torch
from torch import Tensor, nn

from tests.measure.reactions.shapley import CHANGED, SEED, Made, play
from unnerve.core.model import Observation
from unnerve.measure.reactions.taylor import Taylor

Stage = Callable[..., Made]


def test_by_hand(product: nn.Module, stage: Stage) -> None:
    # 1 + h1 + 2 h1 h2 + h2 h3 is linear in each neuron: its slope is what it takes with it.
    expected = [[2 - 0.75, 1.125 - 0.4375, 0.125 - 0.1875], [0, 0, 0], [1.25 - 0.75, 1.3125 - 0.4375, 0.5625 - 0.1875]]
    found = play(Taylor(), stage(product, SEED, [0]), CHANGED)
    assert torch.allclose(found, torch.tensor([expected]), atol=1e-5)


def test_of_a_curved_loss_by_hand(three: nn.Module, stage: Stage) -> None:
    # The loss is softplus of -1/4 - h1 + h2 + h3: its slope is the logistic function.
    made = stage(three, torch.tensor([[0.25, 0.5]]), [0], "relu")
    now, before = (1 / (1 + exp(-total)) for total in (0.25, 0.25))
    expected = [-0.75 * now + 0.25 * before, 0.5 * now - 0.5 * before, 0.75 * now - 0.25 * before]
    assert play(Taylor(), made, torch.tensor([[[0.75, 0.5]]])).flatten().tolist() == pytest.approx(expected, abs=1e-6)


def test_with_a_target_neurons_are_to_blame_for_nearing_it(three: nn.Module, stage: Stage) -> None:
    subject, seeds = stage(three, torch.tensor([[0.25, 0.5]]), [0], "relu")
    aimed = replace(seeds, target=torch.tensor([1]))
    changed = torch.tensor([[[0.75, 0.5]]])
    # The target's loss is softplus of minus what the right answer's is of; less of it is more.
    now, before = (1 / (1 + exp(total)) for total in (0.25, 0.25))
    expected = [-0.75 * now + 0.25 * before, 0.5 * now - 0.5 * before, 0.75 * now - 0.25 * before]
    assert play(Taylor(), (subject, aimed), changed).flatten().tolist() == pytest.approx(expected, abs=1e-6)


class Twice(nn.Module):
    """Calls one layer twice, works in place, and returns several things from a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.relu, self.pair, self.last = nn.Linear(2, 3), nn.ReLU(inplace=True), Pair(), nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.relu(self.first(x))
        x = self.relu(x.sub_(0.1))
        answer: Tensor = self.last(self.pair(x)[0].mul_(2))
        return answer


class Pair(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, str]:
        return x + 1, "and more"


def test_layers_called_twice_working_in_place_and_returning_tuples(stage: Stage) -> None:
    net = Twice()
    x, changed = torch.rand(1, 2), torch.rand(1, 1, 2)
    made = stage(net, x, [1])

    def slopes(x: Tensor) -> Tensor:
        masks = torch.ones(4, 3, requires_grad=True)
        first = nn.functional.linear(x, net.first.weight, net.first.bias) * masks[0]
        once = first.clamp(min=0) * masks[1]
        twice = (once - 0.1).clamp(min=0) * masks[2]
        logits = nn.functional.linear(2 * (twice + 1) * masks[3], net.last.weight, net.last.bias)
        loss = nn.functional.cross_entropy(Observation(logits).logits, torch.tensor([1]))
        return torch.autograd.grad(loss, masks)[0].flatten()

    assert [layer.name for layer in made[0].model.neuron_map(x).hidden.layers] == ["first", "relu", "relu#2", "pair"]
    found = play(Taylor(), made, changed)
    assert torch.allclose(found.flatten(), slopes(changed[0]) - slopes(x), atol=1e-6)


def test_costs_two_passes_whatever_the_number_of_neurons(product: nn.Module, stage: Stage) -> None:
    made = stage(product, SEED, [0])
    play(Taylor(), made, CHANGED)
    assert made[0].model.meter.spent.tolist() == [1 + 2 + 3 * 2]
    assert Taylor().cost(5) == Taylor().cost(90_000) == 2
