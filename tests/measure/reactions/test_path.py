from collections.abc import Callable
from math import exp, log

import pytest
import torch
from torch import Tensor, nn

from tests.measure.reactions.shapley import CHANGED, SEED, VALUES, Made, change_of_loss, play
from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.measure.reactions.path import Path

Stage = Callable[..., Made]
Scenes = Callable[..., tuple[*Made, Streams]]


@pytest.mark.parametrize("points", [1, 4])
def test_by_hand(points: int, product: nn.Module, stage: Stage) -> None:
    # Slopes of products of two grow linearly on the way: their middle is their mean, and each has one half.
    found = play(Path(points), stage(product, SEED, [0]), CHANGED)
    assert torch.allclose(found, VALUES, atol=1e-5)


def test_of_a_curved_loss_by_hand(three: nn.Module, stage: Stage) -> None:
    # The loss is softplus of -1/4 plus what each neuron adds; the way there is shared in proportion to that.
    def softplus(x: float) -> float:
        return log(1 + exp(x))

    expected = [0.0] * 3
    for adds, sign in (((-0.75, 0.5, 0.75), 1), ((-0.25, 0.5, 0.25), -1)):
        whole = sum(adds)
        for n in range(3):
            expected[n] += sign * adds[n] / whole * (softplus(-0.25 + whole) - softplus(-0.25))
    made = stage(three, torch.tensor([[0.25, 0.5]]), [0], "relu")
    found = play(Path(8), made, torch.tensor([[[0.75, 0.5]]]))
    assert found.flatten().tolist() == pytest.approx(expected, abs=1e-6)


def test_more_points_bring_the_sum_to_the_change_of_the_loss(scene: Scenes, small_images: Tensor) -> None:
    subject, seeds, _ = scene([3, 8, 20])
    changed = small_images[[5, 6, 7, 9, 10, 11]].view(3, 2, 1, 8, 8)
    whole = change_of_loss((subject, seeds), changed)
    off = [
        float((play(Path(points), (subject, seeds), changed).sum(dim=2) - whole).abs().mean()) for points in (1, 4, 32)
    ]
    assert off[0] > off[1] > off[2]
    assert off[2] < 0.01 * float(whole.abs().mean())


def test_refuses_no_points() -> None:
    with pytest.raises(InvalidSetting, match=r"^points must be >= 1, got 0$"):
        Path(0)


def test_cost() -> None:
    assert Path(4).cost(9) == Path(4).cost(90_000) == 8
