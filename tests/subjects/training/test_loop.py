from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.training.loop import Epoch, initialised, train
from unnerve.subjects.training.recipes import Recipe

QUICK = Recipe(epochs=6, batch=16, rate=0.05, optimiser="sgd", momentum=0.9)


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(), nn.Linear(64, 2))


@pytest.fixture
def halves() -> Examples:
    """Return images that are bright on the left (class 0) or on the right (class 1)."""
    random = np.random.default_rng(0)
    x, y = random.random((96, 1, 6, 6), dtype=np.float32) * 0.4, np.arange(96) % 2
    for image, side in zip(x, y, strict=True):
        image[0, :, 3 * side : 3 * side + 3] += 0.5
    return tensors(torch.from_numpy(x), y, name="halves")


def trained(data: Examples, recipe: Recipe) -> tuple[nn.Module, list[Epoch]]:
    net = initialised(network, recipe.seed)
    return net, train(net, data, recipe)


def same(first: nn.Module, second: nn.Module) -> bool:
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("recipe", [QUICK, replace(QUICK, optimiser="adam", rate=0.01, schedule="constant")])
def test_learns_what_can_be_learnt(halves: Examples, recipe: Recipe) -> None:
    net, epochs = trained(halves, recipe)
    batch = halves.batch(range(96))
    assert batch.labels is not None
    assert bool((net(batch.inputs).argmax(dim=1) == batch.labels).all())
    assert [epoch.number for epoch in epochs] == [1, 2, 3, 4, 5, 6]
    assert epochs[-1].accuracy > 0.95
    assert epochs[-1].loss < 0.1 < epochs[0].loss
    assert not net.training


def test_the_same_seed_gives_the_same_weights(halves: Examples) -> None:
    torch.manual_seed(1)
    first, _ = trained(halves, QUICK)
    torch.manual_seed(2)
    second, _ = trained(halves, QUICK)
    assert same(first, second)


def test_another_seed_gives_other_weights(halves: Examples) -> None:
    first, _ = trained(halves, QUICK)
    second, _ = trained(halves, replace(QUICK, seed=1))
    assert not same(first, second)


def test_the_seed_decides_the_order_of_examples_too(halves: Examples) -> None:
    nets = [initialised(lambda: nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), 0) for _ in range(2)]
    for seed, net in enumerate(nets):
        train(net, halves, replace(QUICK, epochs=1, seed=seed))
    assert not same(*nets)


@pytest.mark.usefixtures("random_state_stays")
def test_leaves_the_global_random_state(halves: Examples) -> None:
    trained(halves, replace(QUICK, epochs=1))


def test_reports_steps_and_epochs(halves: Examples) -> None:
    steps: list[tuple[int, int]] = []
    seen: list[Epoch] = []
    net = initialised(network, 0)
    epochs = train(net, halves, replace(QUICK, epochs=2, batch=40), lambda *step: steps.append(step), seen.append)
    assert steps == [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]
    assert seen == epochs


def test_one_plain_step_by_hand(halves: Examples) -> None:
    data = halves.first(4)
    net, twin = nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), nn.Sequential(nn.Flatten(), nn.Linear(36, 2))
    twin.load_state_dict(net.state_dict())
    (epoch,) = train(net, data, Recipe(1, 4, 0.5, "sgd", schedule="constant"))
    batch = data.batch(range(4))
    assert batch.labels is not None
    loss = nn.functional.cross_entropy(twin(batch.inputs), batch.labels)
    loss.backward()
    for name, parameter in twin.named_parameters():
        assert parameter.grad is not None
        assert torch.allclose(net.get_parameter(name), parameter - 0.5 * parameter.grad, atol=1e-6)
    assert epoch.loss == pytest.approx(loss.item())


def test_the_cosine_by_hand(halves: Examples) -> None:
    # Of four steps the third begins halfway through the cosine, with half of the rate.
    data, net = halves.first(4), nn.Sequential(nn.Flatten(), nn.Linear(36, 2))
    states: list[dict[str, torch.Tensor]] = []
    train(net, data, Recipe(4, 4, 0.5, "sgd"), lambda *_: states.append(deepcopy(net.state_dict())))
    twin, batch = nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), data.batch(range(4))
    assert batch.labels is not None
    for step, share in ((1, 0.5 + 0.5**1.5), (2, 0.5), (3, 0.5 - 0.5**1.5)):
        twin.load_state_dict(states[step - 1])
        loss = nn.functional.cross_entropy(twin(batch.inputs), batch.labels)
        (slope,) = torch.autograd.grad(loss, twin.get_parameter("1.weight"))
        moved = states[step]["1.weight"] - states[step - 1]["1.weight"]
        assert torch.allclose(moved, -0.5 * share * slope, atol=1e-6)


def test_says_when_training_diverges(halves: Examples) -> None:
    with pytest.raises(InvalidSetting, match=r"training diverged in epoch \d: the loss is not finite; lower the rate"):
        trained(halves, replace(QUICK, rate=1e30))


def test_a_loss_that_is_no_number_ends_training_at_once(halves: Examples) -> None:
    steps: list[int] = []

    def loss(logits: torch.Tensor, labels: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        return logits.sum().mul(float("nan") if len(steps) == 2 else 1.0)

    with pytest.raises(InvalidSetting, match="training diverged in epoch 1"):
        train(network(), halves, replace(QUICK, batch=4), lambda done, _: steps.append(done), loss=loss)
    assert steps == [1, 2]


def test_needs_labels(halves: Examples) -> None:
    with pytest.raises(InvalidData, match="halves: training needs labels"):
        train(network(), replace(halves, labels=None), QUICK)
