from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.measure.reactions.shapley import CHANGE_OF_LOSS, CHANGED, SEED, VALUES, Made, change_of_loss, play
from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.measure.reactions.exact import Exact
from unnerve.measure.reactions.permutation import Permutation

Stage = Callable[..., Made]
Scenes = Callable[..., tuple[*Made, Streams]]


@pytest.fixture
def made(scene: Scenes) -> Made:
    """Return three seeds of the small network, which has nine hidden neurons."""
    subject, seeds, _ = scene([3, 8, 20])
    return subject, seeds


@pytest.fixture
def changed(small_images: Tensor) -> Tensor:
    return small_images[[5, 6, 7, 9, 10, 11]].view(3, 2, 1, 8, 8)


def test_one_order_and_its_reverse_are_exact_where_only_two_interact(product: nn.Module, stage: Stage) -> None:
    for seed in range(3):
        found = play(Permutation(2), stage(product, SEED, [0]), CHANGED, seed)
        assert torch.allclose(found, VALUES, atol=1e-5)


def test_a_single_order_by_hand(product: nn.Module, stage: Stage) -> None:
    made = stage(product, SEED, [0])
    order = Streams(0, ["0"]).permutations(0, 0, 3)[0].tolist()

    def loss(h: list[float], silenced: list[int]) -> float:
        a, b, c = (0 if n in silenced else one for n, one in enumerate(h))
        return 1 + a + 2 * a * b + b * c

    expected = [0.0] * 3
    for place, neuron in enumerate(order):
        for h, sign in (([1.0, 0.5, 0.25], 1), ([0.5, 0.25, 0.75], -1)):
            expected[neuron] += sign * (loss(h, order[:place]) - loss(h, order[: place + 1]))
    found = play(Permutation(1, antithetic=False), made, CHANGED[:, :1])
    assert found.flatten().tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "how", [Permutation(2), Permutation(7, antithetic=False), Permutation(4, tolerance=2.0, patience=1)], ids=str
)
def test_every_order_sums_to_the_change_of_the_loss(how: Permutation, made: Made, changed: Tensor) -> None:
    assert torch.allclose(play(how, made, changed).sum(dim=2), change_of_loss(made, changed), atol=1e-4)


def test_product_sums_to_the_change_of_the_loss(product: nn.Module, stage: Stage) -> None:
    found = play(Permutation(1, antithetic=False), stage(product, SEED, [0]), CHANGED)
    assert torch.allclose(found.sum(dim=2), CHANGE_OF_LOSS, atol=1e-5)


def test_comes_as_near_to_the_exact_values_as_it_says(made: Made, changed: Tensor) -> None:
    exact = play(Exact(), made, changed)
    streams = Streams(0, made[1].batch.ids)
    values, errors = Permutation(400).estimates(*made, streams)(changed, torch.arange(3))
    off = (values - exact).abs()
    assert bool((off <= 4 * errors + 1e-5).all())
    assert float(off.mean()) < 0.05 * float(exact.abs().mean())
    assert bool((off > errors).any()), "the errors are not simply large"
    assert 0.5 < float((off / errors.clamp(min=1e-6)).square().mean().sqrt()) < 1.5


def test_a_reverse_makes_errors_smaller(made: Made, changed: Tensor) -> None:
    streams = Streams(0, made[1].batch.ids)
    plain, paired = (
        Permutation(100, antithetic).estimates(*made, streams)(changed, torch.arange(3))[1]
        for antithetic in (False, True)
    )
    assert float(paired.mean()) < float(plain.mean())


def test_there_is_no_error_of_a_single_order(product: nn.Module, stage: Stage) -> None:
    made = stage(product, SEED, [0])
    for how in (Permutation(1, antithetic=False), Permutation(2)):
        _, errors = how.estimates(*made, Streams(0, ["0"]))(CHANGED, torch.tensor([0]))
        assert bool(errors.isnan().all())


def wide() -> nn.Sequential:
    """Return a network in which few of 100 neurons matter."""
    first, last = nn.Linear(4, 100), nn.Linear(100, 2)
    last.weight.data[:, 6:] *= 1e-3
    last.weight.data[:, :6] *= 20
    return nn.Sequential(first, nn.ReLU(), last)


def test_an_order_is_given_up_when_nothing_is_left(stage: Stage) -> None:
    net, x, changed = wide(), torch.rand(1, 4), torch.rand(1, 2, 4)
    full = Permutation(10)
    short = replace(full, tolerance=0.05, patience=3)
    spent, found = [], []
    for how in (full, short):
        made = stage(net, x, [0], "1")
        found.append(play(how, made, changed))
        spent.append(int(made[0].model.meter.spent[0]))
    assert spent[0] == 1 + full.cost(100) * 3
    assert spent[1] < 0.9 * spent[0]
    assert torch.allclose(found[1].sum(dim=2), found[0].sum(dim=2), atol=1e-5)
    assert float((found[1] - found[0]).abs().amax()) < 0.06


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"permutations": 0}, "permutations must be even and >= 2, or antithetic=no, got 0"),
        ({"permutations": 3}, "permutations must be even and >= 2, or antithetic=no, got 3"),
        ({"permutations": 0, "antithetic": False}, "permutations must be >= 1, got 0"),
        ({"tolerance": float("nan")}, "tolerance must be >= 0, got nan"),
        ({"patience": -1}, "patience must be >= 0, got -1"),
    ],
)
def test_refuses_strange_settings(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        Permutation(**wrong)
    assert str(error.value) == words


def test_cost() -> None:
    assert Permutation(10).cost(9) == 82
    assert Permutation(10).cost(1) == 2
