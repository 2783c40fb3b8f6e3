from collections.abc import Callable
from itertools import combinations
from math import exp, factorial, log

import pytest
import torch
from torch import Tensor, nn

from tests.measure.reactions.shapley import CHANGE_OF_LOSS, CHANGED, SEED, VALUES, Made, change_of_loss, play
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.measure.reactions.exact import Exact
from unnerve.subjects.adapters.torch_module import TorchModule

Stage = Callable[..., Made]
Scenes = Callable[..., tuple[*Made, Streams]]


def test_by_hand(product: nn.Module, stage: Stage) -> None:
    found = play(Exact(), stage(product, SEED, [0]), CHANGED)
    assert torch.allclose(found, VALUES, atol=1e-5)
    assert torch.allclose(found.sum(dim=2), CHANGE_OF_LOSS, atol=1e-5)


def softplus(x: float) -> float:
    return log(1 + exp(x))


@pytest.mark.parametrize("label", [0, 1])
def test_by_the_definition(label: int, three: nn.Module, stage: Stage) -> None:
    # The logits are h1 + h3 + 1/4 and h2 + 2 h3: the loss is that of the sum of what each neuron adds.
    sign = 1 - 2 * label

    def worth(coalition: set[int]) -> float:
        now, before = ((-0.75, 0.5, 0.75), (-0.25, 0.5, 0.25))
        return sum(
            weight * softplus(sign * (-0.25 + sum(adds[n] for n in coalition)))
            for weight, adds in ((1, now), (-1, before))
        )

    expected = [
        sum(
            factorial(len(others)) * factorial(2 - len(others)) / 6 * (worth({n, *others}) - worth(set(others)))
            for size in range(3)
            for others in combinations({0, 1, 2} - {n}, size)
        )
        for n in range(3)
    ]
    found = play(Exact(), stage(three, torch.tensor([[0.25, 0.5]]), [label], "relu"), torch.tensor([[[0.75, 0.5]]]))
    assert found.flatten().tolist() == pytest.approx(expected, abs=1e-6)


def test_the_sum_is_the_change_of_the_loss(scene: Scenes, small_images: Tensor) -> None:
    subject, seeds, _ = scene([3, 8, 20])
    changed = small_images[[5, 6, 7, 9, 10, 11]].view(3, 2, 1, 8, 8)
    found = play(Exact(), (subject, seeds), changed)
    assert found.shape == (3, 2, 9)
    assert torch.allclose(found.sum(dim=2), change_of_loss((subject, seeds), changed), atol=1e-4)


def test_what_bypasses_the_neurons_is_nobodys(stage: Stage) -> None:
    class Beside(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.relu = nn.ReLU()

        def forward(self, x: Tensor) -> Tensor:
            both: Tensor = self.relu(x) + x
            return both

    found = play(Exact(), stage(Beside(), torch.tensor([[0.5, 0.25]]), [0]), torch.tensor([[[0.25, 0.75]]]))
    # v(N) - v(nothing), with logits twice the input and once the input.
    whole, half = softplus(2 * 0.5) - softplus(2 * -0.25), softplus(0.5) - softplus(-0.25)
    assert float(found.sum()) == pytest.approx(whole - half, abs=1e-6)


def test_a_silent_neuron_has_no_part_and_equal_ones_have_equal_parts(stage: Stage) -> None:
    first, last = nn.Linear(1, 4), nn.Linear(4, 2)
    first.weight.data, first.bias.data = torch.tensor([[1.0], [1.0], [0.0], [-1.0]]), torch.zeros(4)
    last.weight.data = torch.tensor([[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 3.0, 1.0]])
    net = nn.Sequential(first, nn.ReLU(), last)
    one, two, three, four = play(Exact(), stage(net, torch.tensor([[0.2]]), [0], "1"), torch.tensor([[[0.9]]]))[0, 0]
    assert float(one) == pytest.approx(float(two)) != 0
    assert max(abs(float(three)), abs(float(four))) < 1e-12


def test_refuses_many_neurons_and_none(three: nn.Module, stage: Stage, scene: Scenes) -> None:
    wide = nn.Sequential(nn.Linear(2, 13), nn.ReLU(), nn.Linear(13, 2))
    with pytest.raises(InvalidSetting, match=r"^exact is for at most 12 hidden neurons, got 26; use owen or path$"):
        play(Exact(), stage(wide, torch.rand(1, 2), [0]), torch.rand(1, 1, 2))
    with pytest.raises(InvalidModel, match=r"^net has no hidden neurons among those that 'answer' chooses$"):
        play(Exact(), stage(three, torch.rand(1, 2), [0], "answer"), torch.rand(1, 1, 2))


def test_cost(tiny_model: TorchModule) -> None:
    assert [Exact().cost(neurons) for neurons in (1, 3, 12)] == [2, 8, 4096]
