from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Observation, Want
from unnerve.subjects.adapters._passes import FLOOR
from unnerve.subjects.adapters.torch_module import TorchModule


def test_a_neuron_is_the_mean_of_its_channel(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    seen = TorchModule(tiny_net).observe(small_images, Want.NEURONS)
    with torch.no_grad():
        conv = tiny_net[0](small_images)
        pooled = tiny_net[2](conv.relu())
        parts = [conv.mean(dim=(2, 3)), conv.relu().mean(dim=(2, 3)), pooled.mean(dim=(2, 3)), tiny_net(small_images)]
    assert torch.allclose(seen.neurons, torch.cat(parts, dim=1), atol=1e-6)


def test_flatten_has_no_neurons(tiny_model: TorchModule, small_images: Tensor) -> None:
    found = tiny_model.neuron_map(small_images)
    assert [(layer.name, layer.start, layer.count) for layer in found.layers] == [
        ("0", 0, 3),
        ("1", 3, 3),
        ("2", 6, 3),
        ("4", 9, 4),
    ]
    assert len(found) == 13


def test_layers_are_chosen_by_a_pattern(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net, neurons="[12]")
    assert [layer.name for layer in model.neuron_map(small_images).layers] == ["1", "2"]
    assert model.neuron_map(small_images).chosen_by == "[12]"
    assert model.observe(small_images, Want.NEURONS).neurons.shape == (40, 6)


def test_refuses_a_pattern_that_fits_nothing(tiny_net: nn.Sequential) -> None:
    with pytest.raises(InvalidModel, match=r"no layer matches 'fc\*'; layers are: 0, 1, 2, 3, 4"):
        TorchModule(tiny_net, neurons="fc*")


class Twice(nn.Module):
    """A network that calls its only activation twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.relu = nn.Linear(4, 3), nn.Linear(3, 2), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        last: Tensor = self.relu(self.second(self.relu(self.first(x)))) - 1
        return last


def test_a_layer_called_twice_counts_twice() -> None:
    net, x = Twice(), torch.rand(5, 4)
    model = TorchModule(net)
    found = model.neuron_map(x)
    assert [(layer.name, layer.count) for layer in found.layers] == [
        ("first", 3),
        ("relu", 3),
        ("second", 2),
        ("relu#2", 2),
    ]
    neurons = {layer.name: part for layer, part in found.split(model.observe(x, Want.NEURONS).neurons)}
    with torch.no_grad():
        assert torch.allclose(neurons["relu"], net.first(x).relu(), atol=1e-6)
        assert torch.allclose(neurons["relu#2"], net.second(net.first(x).relu()).relu(), atol=1e-6)


def test_values_of_a_layer_are_those_before_it_is_overwritten(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), nn.ReLU(inplace=True), nn.Linear(5, 2))
    neurons = TorchModule(net, outputs="logits").observe(small_images, Want.NEURONS).neurons
    with torch.no_grad():
        assert torch.allclose(neurons[:, :5], net[1](small_images.flatten(1)), atol=1e-6)
    assert bool((neurons[:, :5] < 0).any())


def test_ranges_are_those_of_a_layers_whole_output(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net)
    seen = model.observe(small_images, Want.RANGES)
    with torch.no_grad():
        conv = tiny_net[0](small_images)
        outputs = [part.flatten(1) for part in (conv, conv.relu(), tiny_net[2](conv.relu()), tiny_net(small_images))]
    wanted = torch.stack([torch.stack([part.amin(1), part.amax(1)], dim=1) for part in outputs], dim=1)
    assert seen.ranges.shape == (40, 4, 2)
    assert torch.allclose(seen.ranges, wanted, atol=1e-6)
    assert torch.equal(seen.neurons, model.observe(small_images, Want.NEURONS).neurons)


class Reversing(nn.ReLU):
    """Calls itself a ReLU, and falls where that rises."""

    def forward(self, x: Tensor) -> Tensor:
        return -super().forward(x)


@pytest.mark.parametrize(
    "rectifier",
    [nn.ReLU(), nn.ReLU(inplace=True), nn.ReLU6(inplace=True), nn.Hardtanh(-0.1, 0.2), Reversing(), nn.Tanh()],
)
@pytest.mark.parametrize("between", [nn.BatchNorm2d(3), nn.Dropout(0.5), nn.MaxPool2d(2)])
def test_ranges_behind_an_activation(rectifier: nn.Module, between: nn.Module, small_images: Tensor) -> None:
    net = nn.Sequential(nn.Conv2d(1, 3, 3), between, rectifier, nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval()
    net.neuron_layers = ("0", "2")  # type: ignore[assignment]
    ranges = TorchModule(net, outputs="logits").observe(small_images, Want.RANGES).ranges
    with torch.no_grad():
        output = net[:3](small_images).flatten(1)
    assert torch.allclose(ranges[:, 1], torch.stack([output.amin(1), output.amax(1)], dim=1), atol=1e-6)


def test_the_softmax_has_a_range_too(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
    net.neuron_layers = ("1", "softmax")  # type: ignore[assignment]
    seen = TorchModule(net, outputs="logits").observe(small_images, Want.RANGES)
    assert seen.ranges.shape == (40, 2, 2)
    assert torch.allclose(seen.ranges[:, 1, 1], seen.probabilities.amax(dim=1).float())


def test_ranges_are_there_only_if_they_are_asked_for(tiny_model: TorchModule, small_images: Tensor) -> None:
    with pytest.raises(RuntimeError, match=r"ranges were not asked for: observe\(x, want=Want.RANGES\)"):
        _ = tiny_model.observe(small_images, Want.NEURONS).ranges


class Normed(nn.Module):
    """A convolution and its batch norm, with or without something between that overwrites its output."""

    def __init__(self, between: bool, affine: bool) -> None:
        super().__init__()
        self.between = between
        self.conv, self.norm, self.head = nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3, affine=affine), nn.Linear(3, 2)
        self.norm.running_mean = torch.tensor([0.1, -0.2, 0.3])
        self.norm.running_var = torch.tensor([0.5, 2.0, 3.0])
        if affine:
            nn.init.uniform_(self.norm.weight)
            nn.init.uniform_(self.norm.bias)

    def forward(self, x: Tensor) -> Tensor:
        maps = self.conv(x)
        if self.between:
            maps.relu_()
        answer: Tensor = self.head(self.norm(maps).mean(dim=(2, 3)))
        return answer


@pytest.mark.parametrize("neurons", ["deepxplore", "norm"])
@pytest.mark.parametrize("between", [True, False])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norms_show_the_means_of_their_own_output(
    small_images: Tensor, neurons: str, between: bool, affine: bool
) -> None:
    net = Normed(between, affine).train()
    seen = TorchModule(net, outputs="logits", neurons=neurons).observe(small_images, Want.NEURONS)
    with torch.no_grad():
        maps = net.conv(small_images)
        maps = net.eval().norm(maps.relu() if between else maps).mean(dim=(2, 3))
    assert torch.allclose(seen.neurons[:, :3] if neurons == "norm" else seen.neurons[:, 3:6], maps, atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"bias": False}, {"stride": 2}, {"padding": 1}, {"groups": 2}])
@pytest.mark.parametrize("before", [nn.Identity(), nn.ReLU(), nn.MaxPool2d(2)])
def test_means_behind_a_convolution_of_single_places(settings: dict[str, Any], before: nn.Module) -> None:
    net = nn.Sequential(nn.Conv2d(2, 4, 3), before, nn.Conv2d(4, 6, 1, **settings), nn.Flatten())
    images = torch.rand(FLOOR, 2, 9, 9)
    model = TorchModule(net, outputs="logits")
    neurons = model.observe(images, Want.NEURONS).neurons
    with torch.no_grad():
        wanted = net[:3](images).mean(dim=(2, 3))
    assert torch.allclose(neurons[:, -wanted.shape[1] :], wanted, atol=1e-6)
    # A neuron's derivative is that of the mean itself, whichever way it was found.
    _, slopes, _ = model.gradient(images, lambda seen, _: seen.neurons[:, -1], torch.zeros(FLOOR), Want.NEURONS)
    images.requires_grad_()
    expected = torch.autograd.grad(net[:3](images).mean(dim=(2, 3))[:, -1].sum(), images)[0]
    assert torch.allclose(slopes, expected, atol=1e-6)


def test_a_batch_norm_without_statistics_is_read(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3, track_running_stats=False), nn.Flatten())
    neurons = TorchModule(net, outputs="logits").observe(small_images, Want.NEURONS).neurons
    assert torch.allclose(neurons[:, 3:6].mean(dim=0), torch.zeros(3), atol=1e-5)


@pytest.mark.parametrize("channels", [3, 16, 24, 32])
@pytest.mark.parametrize("size", [8, 7])
@pytest.mark.parametrize("statistics", [True, False])
def test_ranges_around_a_batch_norm(channels: int, size: int, statistics: bool) -> None:
    norm = nn.BatchNorm2d(channels, track_running_stats=statistics)
    net = nn.Sequential(nn.Conv2d(2, channels, 1), norm, nn.ReLU(), nn.Conv2d(channels, 4, 1), nn.Flatten())
    nn.init.normal_(norm.weight)  # some of them turn the map around
    nn.init.zeros_(norm.weight[:1])
    images = torch.rand(FLOOR, 2, size, size)
    ranges = TorchModule(net, outputs="logits").observe(images, Want.RANGES).ranges
    outputs = [images]
    with torch.no_grad():
        for layer in net.eval():
            outputs.append(layer(outputs[-1]))
    wanted = torch.stack([torch.stack([part.amin((1, 2, 3)), part.amax((1, 2, 3))], 1) for part in outputs[1:5]], 1)
    assert torch.allclose(ranges, wanted, atol=1e-5)


def test_every_micro_batch_is_watched_by_itself(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten())
    model = TorchModule(net, outputs="logits")
    many = small_images.repeat(20, 1, 1, 1)
    whole, part = model.observe(many, Want.RANGES), model.observe(small_images, Want.RANGES)
    assert len(many) > model._batches.tuning(many).rows
    assert torch.equal(whole.neurons, part.neurons.repeat(20, 1))
    assert torch.equal(whole.ranges, part.ranges.repeat(20, 1, 1))


def test_a_batch_norm_behind_a_layer_with_other_neurons_is_read() -> None:
    net = nn.Sequential(nn.Linear(5, 3), nn.BatchNorm2d(3), nn.Flatten())  # the last axis first, then the second
    images = torch.rand(FLOOR, 3, 4, 5)
    neurons = TorchModule(net, outputs="logits").observe(images, Want.NEURONS).neurons
    with torch.no_grad():
        assert torch.allclose(neurons[:, 3:6], net.eval()[:2](images).mean(dim=(2, 3)), atol=1e-5)


def test_a_loss_that_calls_the_module_is_not_watched(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model, many = TorchModule(tiny_net), small_images.repeat(20, 1, 1, 1)  # several micro-batches

    def loss(seen: Observation, _: Tensor) -> Tensor:
        constant: Tensor = tiny_net(torch.zeros(len(seen.logits), 1, 8, 8))
        return seen.logits[:, 0] + constant[:, 0]

    _, _, seen = model.gradient(many, loss, torch.zeros(800), Want.NEURONS)
    assert torch.equal(seen.neurons, model.observe(many, Want.NEURONS).neurons)
