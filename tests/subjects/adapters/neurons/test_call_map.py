import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule


def hidden(net: nn.Module, x: Tensor, neurons: str | None = None) -> dict[str, bool]:
    found = TorchModule(net, outputs="logits", neurons=neurons).neuron_map(x)
    return {layer.name: layer.hidden for layer in found.layers}


class Functional(nn.Module):
    """A network whose last layer is no module."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Parameter(torch.rand(6, 3))

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.first(x).relu() @ self.last
        return answer


def test_the_answer_is_not_hidden(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    assert hidden(tiny_net, small_images) == {"0": True, "1": True, "2": True, "4": False}


def test_what_follows_the_answer_is_not_hidden_either() -> None:
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3), nn.BatchNorm1d(3), nn.Softmax(dim=1))
    assert list(hidden(net, torch.rand(3, 4)).values()) == [True, True, False, False, False]
    assert hidden(net, torch.rand(3, 4), "3") == {"3": False}


def test_a_last_layer_of_another_width_is_hidden() -> None:
    assert hidden(Functional(), torch.rand(3, 4)) == {"first": True}


class Tokens(nn.Module):
    """A small transformer: patches, a class token, attention, a head; with the tokens first if asked for."""

    def __init__(self, batch_first: bool = True) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.patches = nn.Conv2d(1, 8, 4, stride=4)
        self.place = nn.Embedding(4, 8)
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        tokens = self.patches(x).flatten(2).transpose(1, 2) + self.place(torch.arange(4)).unsqueeze(0)
        tokens = tokens if self.batch_first else tokens.transpose(0, 1)
        answer: Tensor = self.head(self.encoder(tokens).mean(dim=1 if self.batch_first else 0))
        return answer


@pytest.mark.parametrize("batch_first", [True, False])
def test_transformers_have_features_not_tokens(batch_first: bool, small_images: Tensor) -> None:
    net = Tokens(batch_first).eval()
    model = TorchModule(net, outputs="logits")
    found = {layer.name: layer.count for layer in model.neuron_map(small_images).layers}
    assert found == {
        "patches": 8,
        "encoder.self_attn": 8,
        "encoder.dropout1": 8,
        "encoder.norm1": 8,
        "encoder.linear1": 16,
        "encoder.dropout": 16,
        "encoder.linear2": 8,
        "encoder.dropout2": 8,
        "encoder.norm2": 8,
        "head": 3,
    }, "the embedding of places is the same for every input, and has no neurons"
    parts = dict(model.neuron_map(small_images).split(model.observe(small_images, Want.NEURONS).neurons))
    values = {layer.name: part for layer, part in parts.items()}
    with torch.no_grad():
        assert torch.allclose(values["patches"], net.patches(small_images).mean(dim=(2, 3)), atol=1e-5)
        assert torch.allclose(net.head(values["encoder.norm2"]), model.observe(small_images).logits, atol=1e-5)


class Windows(nn.Module):
    """A network that cuts its input into windows and treats each as an input of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.dense, self.head = nn.Linear(16, 5), nn.Linear(20, 3)

    def forward(self, x: Tensor) -> Tensor:
        windows = self.dense(x.reshape(len(x) * 4, 16))
        answer: Tensor = self.head(windows.reshape(len(x), 20))
        return answer


def test_windows_are_averaged(small_images: Tensor) -> None:
    net = Windows()
    neurons = TorchModule(net, outputs="logits").observe(small_images, Want.NEURONS).neurons
    with torch.no_grad():
        expected = net.dense(small_images.reshape(40, 4, 16)).mean(dim=1)
    assert neurons.shape == (40, 8)
    assert torch.allclose(neurons[:, :5], expected, atol=1e-6)


class Recurrent(nn.Module):
    """A network with a layer that returns a tuple."""

    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.lstm, self.head = nn.LSTM(8, 5, batch_first=batch_first), nn.Linear(5, 3)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.squeeze(1) if self.batch_first else x.squeeze(1).transpose(0, 1)
        states, _ = self.lstm(rows)
        answer: Tensor = self.head(states[:, -1] if self.batch_first else states[-1])
        return answer


@pytest.mark.parametrize("batch_first", [True, False])
def test_of_several_outputs_the_first_counts(batch_first: bool, small_images: Tensor) -> None:
    net = Recurrent(batch_first)
    model = TorchModule(net, outputs="logits")
    assert [(layer.name, layer.count) for layer in model.neuron_map(small_images).layers] == [("lstm", 5), ("head", 3)]
    with torch.no_grad():
        rows = small_images.squeeze(1)
        states = net.lstm(rows if batch_first else rows.transpose(0, 1))[0].mean(dim=1 if batch_first else 0)
    assert torch.allclose(model.observe(small_images, Want.NEURONS).neurons[:, :5], states, atol=1e-6)


class Fickle(nn.Module):
    """A network that leaves a layer out when it likes an input."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.more, self.head = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        answer: Tensor = self.head(self.more(x) if len(x) < 10 else x)
        return answer


def test_a_network_must_call_its_layers_in_one_order() -> None:
    model = TorchModule(Fickle(), "fickle", "logits")
    assert len(model.neuron_map(torch.rand(2, 4))) == 11
    with pytest.raises(InvalidModel, match=r"^fickle calls its layers in another order from pass to pass"):
        model.observe(torch.rand(40, 4), Want.NEURONS)
    assert model.observe(torch.rand(40, 4)).logits.shape == (40, 3)


def test_a_layer_without_neurons_is_named() -> None:
    with pytest.raises(InvalidModel, match=r"none of the layers that 'place' chooses has neurons: place"):
        TorchModule(Tokens(), "tokens", "logits", "place").neuron_map(torch.rand(2, 1, 8, 8))
