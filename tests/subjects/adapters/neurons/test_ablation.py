from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Observation
from unnerve.subjects.adapters.torch_module import TorchModule


def surprise(seen: Observation, targets: Tensor) -> Tensor:
    return cross_entropy(seen.logits, targets, reduction="none")


class Residual(nn.Module):
    """One activation called three times, one convolution twice, additions in place, an activation in place."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.again, self.norm = (
            nn.Conv2d(1, 3, 3, padding=1),
            nn.Conv2d(3, 3, 3, padding=1),
            nn.BatchNorm2d(3),
        )
        self.relu, self.head = nn.ReLU(inplace=True), nn.Linear(3, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.relu(self.norm(self.conv(x)))
        for _ in range(2):
            out = self.again(x)
            out += x
            x = self.relu(out)
        answer: Tensor = 5 * self.head(x.mean(dim=(2, 3)))
        return answer


class Several(nn.Module):
    """A layer that returns a tuple, on sequences with the inputs second, and windows that are inputs of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.windows, self.lstm, self.head = nn.Linear(4, 8), nn.LSTM(8, 5), nn.Linear(5, 4)

    def forward(self, x: Tensor) -> Tensor:
        rows = self.windows(x.reshape(-1, 4)).reshape(len(x), 16, 8).transpose(0, 1)
        states, _ = self.lstm(rows)
        answer: Tensor = 20 * self.head(states[-1])
        return answer


class Tokens(nn.Module):
    """A transformer's layer: features last."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, 8, 4, stride=4)
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.head(self.encoder(self.patches(x).flatten(2).transpose(1, 2))[:, 0])
        return answer


@pytest.fixture(params=["tiny", "residual", "several", "tokens"])
def model(request: pytest.FixtureRequest, tiny_net: nn.Sequential) -> TorchModule:
    made: dict[str, Callable[[], nn.Module]] = {
        "tiny": lambda: tiny_net,
        "residual": Residual,
        "several": Several,
        "tokens": Tokens,
    }
    return TorchModule(made[request.param](), request.param, "logits")


def masks_for(model: TorchModule, x: Tensor, count: int, seed: int = 0) -> Tensor:
    hidden = len(model.neuron_map(x).hidden)
    return torch.rand(len(x), count, hidden, generator=torch.Generator().manual_seed(seed))


def test_a_mask_of_ones_changes_no_bit(model: TorchModule, small_images: Tensor) -> None:
    ones = torch.ones_like(masks_for(model, small_images, 3))
    logits = model.silenced(small_images, ones)
    assert logits.shape == (40, 3, 4)
    clean = model.observe(small_images.repeat_interleave(3, dim=0)).logits.view(40, 3, 4)
    if model.name == "tokens":  # watched, torch does not take the fused kernel, which rounds differently
        assert torch.allclose(logits, clean, atol=1e-5)
    else:
        assert torch.equal(logits, clean)


def test_ones_change_no_bit_of_lenet5(lenet5_random: TorchModule, digits40: Tensor) -> None:
    ones = torch.ones(40, 1, 248)
    assert torch.equal(lenet5_random.silenced(digits40, ones)[:, 0], lenet5_random.observe(digits40).logits)


def test_a_silenced_layer_is_zero(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net)
    masks = torch.ones(40, 4, 9)
    masks[:, 0, 0:3] = 0  # the convolution: nothing goes on but the last layer's bias
    masks[:, 1, 6:9] = 0  # the pooling: the same
    masks[:, 2, 4] = 0  # one channel of the activation
    masks[:, 3, :3] = 0.5  # half the convolution
    logits = model.silenced(small_images, masks)
    bias = tiny_net.get_parameter("4.bias")
    assert torch.allclose(logits[:, :2], bias.expand(40, 2, 4), atol=1e-6)
    with torch.no_grad():
        maps = tiny_net[0](small_images)
        one_off = maps.relu() * torch.tensor([1.0, 0.0, 1.0]).view(1, 3, 1, 1)
        assert torch.allclose(logits[:, 2], tiny_net[4](tiny_net[2](one_off).flatten(1)), atol=1e-5)
        assert torch.allclose(logits[:, 3], tiny_net[4](tiny_net[2]((maps / 2).relu()).flatten(1)), atol=1e-5)


def test_each_call_of_a_layer_has_its_own_neurons(small_images: Tensor) -> None:
    net = Residual().eval()
    model = TorchModule(net, outputs="logits")
    hidden = model.neuron_map(small_images).hidden
    assert [layer.name for layer in hidden.layers] == ["conv", "norm", "relu", "again", "relu#2", "again#2", "relu#3"]
    masks = torch.ones(40, 1, len(hidden))
    masks[..., hidden.layers[5].columns] = 0  # the second call of the convolution, inside the second addition
    with torch.no_grad():
        x = net.norm(net.conv(small_images)).relu()
        x = (net.again(x) + x).relu()
        expected = 5 * net.head(x.relu().mean(dim=(2, 3)))
    assert torch.allclose(model.silenced(small_images, masks)[:, 0], expected, atol=1e-5)


def test_every_hidden_neuron_can_be_silenced(model: TorchModule, small_images: Tensor) -> None:
    logits = model.silenced(small_images, torch.zeros_like(masks_for(model, small_images, 1)))[:, 0]
    assert torch.allclose(logits, logits[:1].expand(40, 4), atol=1e-6), "nothing of the input reaches the answer"


def test_inputs_and_masks_go_together(model: TorchModule, small_images: Tensor) -> None:
    x, masks = small_images[:7], masks_for(model, small_images[:7], 50)  # more rows than a chunk
    together = model.silenced(x, masks)
    assert together.std(dim=1).amax() > 1e-3
    for row, place in ((0, 0), (3, 17), (6, 49)):
        alone = model.silenced(x[row : row + 1], masks[row : row + 1, place : place + 1])[0, 0]
        assert torch.allclose(together[row, place], alone, atol=1e-5)


def test_masks_can_be_views(model: TorchModule, small_images: Tensor) -> None:
    shared = masks_for(model, small_images[:1], 2).expand(40, -1, -1)
    assert torch.equal(model.silenced(small_images, shared), model.silenced(small_images, shared.contiguous()))


def test_gradients_are_finite_differences(model: TorchModule, small_images: Tensor) -> None:
    exact = TorchModule(model.module.double(), model.name, "logits")
    x, targets = small_images[:3].double(), torch.tensor([0, 3, 1])
    masks = 0.2 + 0.6 * masks_for(exact, x, 2).double()
    values, gradients, logits = exact.mask_gradient(x, masks, surprise, targets)
    assert (values.shape, gradients.shape, logits.shape) == ((3, 2), masks.shape, (3, 2, 4))
    assert torch.allclose(values, surprise_of(exact.silenced(x, masks), targets), atol=1e-6)
    step = 1e-3  # answers are float32
    columns = torch.linspace(0, masks.shape[2] - 1, 12).long().unique()
    for column in columns.tolist():
        there, back = masks.clone(), masks.clone()
        there[..., column] += step
        back[..., column] -= step
        slope = surprise_of(exact.silenced(x, there), targets) - surprise_of(exact.silenced(x, back), targets)
        assert torch.allclose(gradients[..., column].float(), slope / (2 * step), rtol=0.02, atol=1e-3)
    assert gradients.abs().amax() > 0.01


def surprise_of(logits: Tensor, targets: Tensor) -> Tensor:
    return cross_entropy(logits.flatten(0, 1), targets.repeat_interleave(2), reduction="none").view(3, 2)


def test_gradients_sum_over_many_chunks_as_alone(model: TorchModule, small_images: Tensor) -> None:
    targets, masks = torch.arange(40) % 4, masks_for(model, small_images, 20)
    values, gradients, logits = model.mask_gradient(small_images, masks, surprise, targets)
    assert torch.allclose(logits, model.silenced(small_images, masks), atol=1e-5)
    one, slope, _ = model.mask_gradient(small_images[31:32], masks[31:32], surprise, targets[31:32])
    assert torch.allclose(values[31], one[0], atol=1e-5)
    assert torch.allclose(gradients[31], slope[0], atol=1e-4)
    assert [values.requires_grad, gradients.requires_grad, logits.requires_grad] == [False] * 3


def test_first_order_at_the_full_coalition_by_hand() -> None:
    # Two hidden units, one input of 1: logit_0 = 2 * m_0 * 3 + 0 * m_1, logit_1 = 5 * m_1; their difference has
    # slopes 6 and -5.
    net = nn.Sequential(nn.Linear(1, 2, bias=False), nn.Linear(2, 2, bias=False))
    net.get_parameter("0.weight").data = torch.tensor([[2.0], [1.0]])
    net.get_parameter("1.weight").data = torch.tensor([[3.0, 0.0], [0.0, 5.0]])
    values, gradients, _ = TorchModule(net, outputs="logits").mask_gradient(
        torch.ones(1, 1), torch.ones(1, 1, 2), lambda seen, _: seen.logits[:, 0] - seen.logits[:, 1], torch.zeros(1)
    )
    assert values.tolist() == [[1.0]]
    assert gradients.tolist() == [[[6.0, -5.0]]]


def test_leaves_the_module_as_it_was(model: TorchModule, small_images: Tensor) -> None:
    model.module.train()
    before, masks = model.observe(small_images).logits, masks_for(model, small_images, 2)
    model.silenced(small_images, masks)
    model.mask_gradient(small_images, masks, surprise, torch.zeros(40, dtype=torch.int64))
    with pytest.raises(ZeroDivisionError):
        model.mask_gradient(small_images, masks, lambda seen, _: seen.logits[:, 0] / (1 // 0), torch.zeros(40))
    assert all(part.training for part in model.module.modules())
    assert not any(part._forward_hooks for part in model.module.modules())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in model.module.parameters())
    assert torch.equal(model.observe(small_images).logits, before)


@pytest.mark.parametrize("shape", [(40, 9), (39, 2, 9), (40, 2, 13), (40, 0, 9)])
def test_refuses_masks_of_another_shape(tiny_model: TorchModule, small_images: Tensor, shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidSetting) as error:
        tiny_model.silenced(small_images, torch.ones(shape))
    assert str(error.value) == f"masks must have shape (40, masks >= 1, 9), got {shape}"


def test_a_network_without_hidden_neurons_says_so() -> None:
    model = TorchModule(nn.Linear(4, 3), "flat", "logits")
    with pytest.raises(InvalidModel, match="flat has no hidden neurons among those that 'deepxplore' chooses"):
        model.silenced(torch.rand(2, 4), torch.ones(2, 1, 0))
