from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.measure.reactions.sensitivity import Sensitivity
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

Stage = Callable[..., tuple[Subject[Metered], Seeds]]
SEEDS = torch.tensor([[0.25, 0.5], [0.75, 0.75]])
# The first seed has the neurons (0.25, 0.5, 0.25): they become (0.75, 0.5, 0.75), (0, 0.5, 0), and stay.
CHANGED = torch.tensor([[[0.75, 0.5], [0.0, 0.5], [0.25, 0.5]]])


def moves(how: Sensitivity, made: tuple[Subject[Metered], Seeds], changed: Tensor, rows: list[int]) -> Tensor:
    return how.prepare(*made, Streams(0, made[1].batch.ids))(changed, torch.tensor(rows))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        # Lengths of the change: 0.5, 0.25, 0.
        (Sensitivity("eq1"), [[1, 0, 1], [1, 0, 1], [0, 0, 0]]),
        (Sensitivity("eq1", signed=True), [[1, 0, 1], [-1, 0, -1], [0, 0, 0]]),
        # In units of 0.25 and 0.1; the third neuron never moved on the reference data.
        (Sensitivity(), [[2, 0, 0], [1, 0, 0], [0, 0, 0]]),
        (Sensitivity(signed=True), [[2, 0, 0], [-1, 0, 0], [0, 0, 0]]),
        (Sensitivity("minmax"), [[1, 0, 1], [1, 0, 1], [0, 0, 0]]),
        (Sensitivity("minmax", signed=True), [[1, 0, 1], [0, 1, 0], [0, 0, 0]]),
        (Sensitivity("released"), [[1, 0, 1], [0, 1, 0], [0, 0, 0]]),
    ],
    ids=str,
)
def test_by_hand(how: Sensitivity, expected: Any, three: nn.Module, stage: Stage) -> None:
    made = stage(three, SEEDS, [0, 1], "relu", [0.25, 0.1, 0.0])
    assert torch.allclose(moves(how, made, CHANGED, [0]), torch.tensor([expected]).float(), atol=1e-6)


def test_every_layer_is_stretched_by_itself(three: nn.Module, stage: Stage) -> None:
    made = stage(three, SEEDS, [0, 1])
    # hidden and relu move by (0.5, 0, 0.5), the answer by (1, 1): there the least is the largest.
    found = moves(Sensitivity("minmax"), made, CHANGED[:, :1], [0])
    assert found.tolist() == [[[1, 0, 1, 1, 0, 1, 0, 0]]]


class Maps(nn.Module):
    """Two channels of three pixels, x and 2 - x, of which the mean is the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 2, 1)
        self.conv.load_state_dict({"weight": torch.tensor([[[1.0]], [[-1.0]]]), "bias": torch.tensor([0.0, 2.0])})

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.conv(x).mean(dim=2)
        return answer


def test_the_release_scales_whole_feature_maps_before_it_takes_means(stage: Stage) -> None:
    made = stage(Maps(), torch.zeros(2, 1, 3), [0, 1], "conv")
    # The channels move by (0.6, 0.2, 0.1) and its negative, all of which lie between -0.6 and 0.6: their means 0.3 and
    # -0.3 are at 0.75 and 0.25 of that range, where the means themselves would be at 1 and 0.
    changed = torch.tensor([[[[0.6, 0.2, 0.1]], [[0.0, 0.0, 0.0]]]])
    assert torch.allclose(moves(Sensitivity("released"), made, changed, [1]), torch.tensor([[[0.75, 0.25], [0, 0]]]))
    means = moves(Sensitivity("minmax", signed=True), made, changed, [1])
    assert torch.allclose(means, torch.tensor([[[1.0, 0.0], [0, 0]]]))


def test_the_release_by_the_letter_on_a_real_network() -> None:
    subject = model("zoo:lenet5")
    digits = examples("mnist5k").batch(range(20))
    metered = Metered(subject, Meter(20))
    seeds = Seeds(digits, metered.of(torch.arange(20)).observe(digits.inputs))
    noise = Streams(0, digits.ids).uniform(0, 0, (2, 1, 28, 28)).mul(0.2).sub(0.1)
    changed = (digits.inputs.unsqueeze(1) + noise).clamp(0, 1)
    react = Sensitivity("released").prepare(Subject(metered), seeds, Streams(0, digits.ids))
    found = react(changed, torch.arange(20))[..., :6]
    assert isinstance(subject, TorchModule)
    first = nn.Sequential(subject.module.get_submodule("conv1"), nn.ReLU())
    with torch.no_grad():
        before, now = (first(x) for x in (digits.inputs, changed.flatten(0, 1)))
    apart = now.unflatten(0, (20, 2)) - before.unsqueeze(1)
    low, high = (side.view(20, 2, 1, 1, 1) for side in (apart.flatten(2).amin(dim=2), apart.flatten(2).amax(dim=2)))
    assert torch.allclose(found, ((apart - low) / (high - low)).mean(dim=(3, 4)), atol=1e-5)
    # Most channels of the first layer lie above one half; of means that are scaled themselves, a third does.
    assert float((found > 0.5).float().mean()) > 0.6
    means = Sensitivity("minmax", signed=True).prepare(Subject(metered), seeds, Streams(0, digits.ids))
    assert float((means(changed, torch.arange(20))[..., :6] > 0.5).float().mean()) < 0.5


def test_the_release_costs_as_much_as_the_others(stage: Stage) -> None:
    made = stage(Maps(), torch.zeros(2, 1, 3), [0, 1], "conv")
    moves(Sensitivity("released"), made, torch.rand(1, 5, 1, 3), [1])
    assert made[0].model.meter.spent.tolist() == [1 + 1, 1 + 1 + 5]


def test_each_changed_input_is_compared_with_its_own_seed(three: nn.Module, stage: Stage) -> None:
    made = stage(three, SEEDS, [0, 1], "relu", [1.0, 1.0, 1.0])
    changed = torch.stack([SEEDS[[1, 1]], SEEDS[[0, 0]]])
    found = moves(Sensitivity(signed=True), made, changed, [1, 0])
    # The neurons of the seeds are (0.25, 0.5, 0.25) and (0.75, 0.75, 1).
    assert found.tolist() == [[[0, 0, 0]] * 2, [[0, 0, 0]] * 2]
    found = moves(Sensitivity(signed=True), made, changed, [0, 1])
    assert found.tolist() == [[[0.5, 0.25, 0.75]] * 2, [[-0.5, -0.25, -0.75]] * 2]


def test_costs_one_query_a_seed_and_one_a_changed_input(three: nn.Module, stage: Stage) -> None:
    made = stage(three, SEEDS, [0, 1])
    moves(Sensitivity("eq1"), made, CHANGED, [1])
    assert made[0].model.meter.spent.tolist() == [1 + 1, 1 + 1 + 3]
    assert Sensitivity().cost(5) == 1


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
    made = stage(net, SEEDS, [0, 1])

    def by_hand(x: Tensor) -> Tensor:
        first = nn.functional.linear(x, net.first.weight, net.first.bias)
        once = first.clamp(min=0)
        twice = (once - 0.1).clamp(min=0)
        last = nn.functional.linear(2 * (twice + 1), net.last.weight, net.last.bias)
        return torch.cat([first, once, twice, twice + 1, last], dim=1).detach()

    layers = made[0].model.neuron_map(SEEDS).layers
    assert [layer.name for layer in layers] == ["first", "relu", "relu#2", "pair", "last"]
    # The second call overwrites what the first returned; its value was read before.
    found = moves(Sensitivity("eq1", signed=True), made, CHANGED[:, :2], [0])[0]
    expected = (by_hand(CHANGED[0, :2]) - by_hand(SEEDS[:1])) / torch.tensor([[0.5], [0.25]])
    assert torch.allclose(found, expected, atol=1e-6)


def test_refuses_what_it_cannot_measure(three: nn.Module, stage: Stage) -> None:
    with pytest.raises(InvalidSetting, match=r"^scale must be spread, eq1, minmax or released, got 'Spread'$"):
        Sensitivity("Spread")
    made = stage(three, SEEDS, [0, 1])
    with pytest.raises(InvalidSetting, match=r"^scale=spread compares with reference data, and there is none$"):
        moves(Sensitivity(), made, CHANGED, [0])
    other = Subject(made[0].model, stage(three, SEEDS, [0, 1], "relu", [1.0] * 3)[0].context)
    assert isinstance(other.context.reference, Reference)
    with pytest.raises(InvalidSetting, match=r"^the reference is of other neurons: 3 chosen by 'relu', not 8"):
        moves(Sensitivity(), (other, made[1]), CHANGED, [0])


def test_says_when_it_compares() -> None:
    assert Sensitivity().referenced
    assert not any(Sensitivity(scale).referenced for scale in ("eq1", "minmax", "released"))
