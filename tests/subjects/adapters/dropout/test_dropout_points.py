import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.subjects.adapters.dropout.networks import plain_loop
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._dropout_points import (
    DropoutPoint,
    chosen_points,
    dropout_inserted,
    found_points,
)
from unnerve.subjects.adapters.dropout._layer_calls import layer_calls
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.memory_format import channels_last


class Block(nn.Module):
    def __init__(self, width: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(width, out, 3, stride, 1), nn.Conv2d(out, out, 3, 1, 1)
        self.short = nn.Conv2d(width, out, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.conv2(functional.relu(self.conv1(x))) + self.short(x))


class Stages(nn.Module):
    """A residual network of two stages: the second begins with a stride, the pooling is a function."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.stage1, self.stage2 = nn.Sequential(Block(4, 4, 1)), nn.Sequential(Block(4, 6, 2), Block(6, 6, 1))
        self.last = nn.Linear(6, 4)

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.last(self.stage2(self.stage1(self.stem(x))).mean((2, 3)))
        return answer


class Tutorial(nn.Module):
    """As in many tutorials: pooling, activation and flattening are functions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 3, 3, padding=1), nn.Conv2d(3, 5, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(20, 9), nn.Linear(9, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        answer: Tensor = self.fc2(functional.relu(self.fc1(torch.flatten(x, 1))))
        return answer


def found(net: nn.Module, shape: tuple[int, ...] = (1, 8, 8)) -> list[str]:
    with torch.no_grad():
        return [str(point) for point in found_points(layer_calls(net, lambda: net(torch.rand(2, *shape))), "net")]


def test_after_poolings_and_before_the_classifier(tiny_net: nn.Sequential) -> None:
    assert found(tiny_net) == ["before:4"]  # nothing has weights between its pooling and its classifier
    tiny_net[4] = nn.Sequential(nn.Linear(48, 9), nn.ReLU(), nn.Linear(9, 4))
    assert found(tiny_net) == ["2", "before:4.2"]


def test_after_stages() -> None:
    assert found(Stages()) == ["stage1", "before:last"]


def test_after_poolings_that_are_functions() -> None:
    assert found(Tutorial()) == ["before:conv2", "before:fc1", "before:fc2"]


def test_maps_that_are_flattened_unpooled() -> None:
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 9), nn.ReLU(), nn.Linear(9, 4))
    assert found(net) == ["1", "before:5"]


def test_a_convolution_as_classifier() -> None:
    net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.MaxPool2d(2), nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Conv2d(6, 4, 1))
    net.extend([nn.AdaptiveAvgPool2d(1), nn.Flatten()])
    assert found(net) == ["1", "before:4"]


def test_sounds_and_tokens() -> None:
    sound = nn.Sequential(nn.Conv1d(1, 4, 3), nn.MaxPool1d(2), nn.Conv1d(4, 4, 3), nn.Flatten(), nn.Linear(20, 4))
    assert found(sound, (1, 16)) == ["1", "before:4"]
    block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    tokens = nn.Sequential(nn.Flatten(1, 2), nn.Linear(8, 8), block, nn.Flatten(), nn.Linear(64, 4))
    assert found(tokens)[-1] == "before:4"


def test_the_input_itself_is_never_dropped() -> None:
    net = nn.Sequential(nn.AvgPool2d(2), nn.Flatten(), nn.Linear(16, 9), nn.ReLU(), nn.Linear(9, 4))
    assert found(net) == ["before:4"]


@pytest.mark.parametrize("net", [nn.Sequential(nn.Flatten(), nn.Linear(64, 4)), nn.Flatten()])
def test_one_layer_is_not_enough(net: nn.Module) -> None:
    with pytest.raises(InvalidModel, match="net: dropout needs a layer before the classifier, and it has none"):
        found(net)


# Places that a user names


def chosen(net: nn.Module, *patterns: str) -> list[str]:
    with torch.no_grad():
        seen = layer_calls(net, lambda: net(torch.rand(2, 1, 8, 8)))
    return [str(point) for point in chosen_points(seen, patterns, "net")]


def test_names_patterns_and_calls() -> None:
    assert chosen(Tutorial(), "conv1", "before:fc2") == ["conv1", "before:fc2"]
    assert chosen(Tutorial(), "conv*", "conv2") == ["conv1", "conv2"]
    relu = nn.ReLU()
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 9), relu, nn.Linear(9, 9), relu, nn.Linear(9, 4))
    assert chosen(net, "2") == ["2", "2#2"]
    assert chosen(net, "2#2", "before:2#2") == ["2#2", "before:2#2"]


def test_an_unknown_name() -> None:
    with pytest.raises(InvalidModel, match="net calls no layer 'pool'; it calls: conv1, conv2, fc1, fc2"):
        chosen(Tutorial(), "conv1", "before:pool")


# Dropout there


def explicit(net: Tutorial) -> nn.Module:
    """Return the same network with dropout written out at its places."""

    class Written(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            x = functional.max_pool2d(functional.relu(net.conv1(x)), 2)
            x = net.conv2(functional.dropout(x, 0.3, False))
            x = functional.max_pool2d(functional.relu(x), 2)
            x = net.fc1(functional.dropout(torch.flatten(x, 1), 0.3, False))
            answer: Tensor = net.fc2(functional.dropout(functional.relu(x), 0.3, False))
            return answer

    return Written()


def test_is_the_dropout_one_would_write(small_images: Tensor) -> None:
    net, masks = Tutorial().eval(), Masks(0, tuple(map(str, range(40))), draws=5)
    draws = TorchModule(net, dropout=Dropout(0.3)).samples(small_images, masks)
    assert torch.equal(draws, plain_loop(explicit(net), channels_last(small_images), masks))


def test_at_one_call_of_a_shared_layer(small_images: Tensor) -> None:
    relu, first, second = nn.ReLU(), nn.Linear(64, 9), nn.Linear(9, 9)
    net = nn.Sequential(nn.Flatten(), first, relu, second, relu).eval()
    masks = Masks(0, tuple(map(str, range(40))), draws=5)
    written = nn.Sequential(nn.Flatten(), first, relu, second, relu, nn.Dropout(0.3)).eval()
    draws = TorchModule(net, outputs="logits", dropout=Dropout(0.3, ("2#2",))).samples(small_images, masks)
    assert torch.equal(draws, plain_loop(written, small_images, masks))


def test_the_networks_own_dropout_stays_off_at_chosen_points(small_images: Tensor) -> None:
    own = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, 9), nn.Linear(9, 4)).eval()
    masks = Masks(0, tuple(map(str, range(40))), draws=5)
    draws = TorchModule(own, dropout=Dropout(0.3, ("before:3",))).samples(small_images, masks)
    written = nn.Sequential(own[0], own[2], nn.Dropout(0.3), own[3])
    assert torch.equal(draws, plain_loop(written, small_images, masks))


def test_places_do_nothing_without_draws(small_images: Tensor) -> None:
    net = Tutorial().eval()
    with torch.no_grad(), dropout_inserted(net, [DropoutPoint("conv1"), DropoutPoint("fc2", before=True)]):
        inside = net(small_images)
    with torch.no_grad():
        assert torch.equal(inside, net(small_images))
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in net.modules())
    assert DropoutCalls().rate is None


def test_a_place_needs_one_tensor(small_images: Tensor) -> None:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.steps, self.last = nn.LSTM(8, 6, batch_first=True), nn.Linear(6, 4)

        def forward(self, x: Tensor) -> Tensor:
            answer: Tensor = self.last(self.steps(x.squeeze(1))[0].mean(dim=1))
            return answer

    masks = Masks(0, tuple(map(str, range(40))), draws=3)
    model = TorchModule(Recurrent(), "net", dropout=Dropout(0.3, ("steps",)))
    with pytest.raises(InvalidModel, match="dropout after steps needs one tensor, but it returns tuple"):
        model.samples(small_images, masks)
    assert TorchModule(Recurrent(), dropout=Dropout(0.3)).samples(small_images, masks).shape == (3, 40, 4)
