from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.model import Observation
from unnerve.subjects.adapters.folding import folded
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


def settled(norm: nn.BatchNorm2d) -> nn.BatchNorm2d:
    """Return a batch norm that has seen data: nothing is left at 0 or 1, and one weight is negative."""
    count = norm.num_features
    assert norm.running_mean is not None
    assert norm.running_var is not None
    with torch.no_grad():
        norm.running_mean.copy_(torch.linspace(-0.3, 0.4, count))
        norm.running_var.copy_(torch.linspace(0.5, 2.0, count))
        norm.weight.copy_(torch.linspace(-0.8, 1.2, count))
        norm.bias.copy_(torch.linspace(0.2, -0.1, count))
    return norm


class Net(nn.Module):
    """A convolution, its batch norm, and what a test makes of both."""

    def __init__(self, use: Callable[["Net", Tensor], Tensor], bias: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.norm = nn.Conv2d(2, 6, 3, bias=bias), settled(nn.BatchNorm2d(6))
        self.dense = nn.Linear(6, 3)
        self.use = use

    def forward(self, x: Tensor) -> Tensor:
        answers: Tensor = self.dense(self.use(self, x).relu().mean(dim=(2, 3)))
        return answers


def plain(net: Net, x: Tensor) -> Tensor:
    found: Tensor = net.norm(net.conv(x))
    return found


def with_shortcut(net: Net, x: Tensor) -> Tensor:
    inside = net.conv(x)
    found: Tensor = net.norm(inside) + inside
    return found


def written_into(net: Net, x: Tensor) -> Tensor:
    found: Tensor = net.norm(net.conv(x).mul_(2))
    return found


def twice(net: Net, x: Tensor) -> Tensor:
    found: Tensor = net.norm(net.conv(x)) + net.norm(net.conv(x.flip(0)))
    return found


def own_logit(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets.unsqueeze(1)).squeeze(1)


def inputs(count: int) -> Tensor:
    return torch.rand(count, 2, 8, 8, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("bias", [True, False])
def test_the_copy_is_the_same_function_without_its_batch_norm(bias: bool) -> None:
    net, x = Net(plain, bias).eval(), inputs(5)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    copy = folded(net, x)
    assert copy is not None
    assert not any(isinstance(part, nn.BatchNorm2d) for part in copy.modules())
    assert torch.allclose(copy(x), net(x), atol=1e-5)
    assert not torch.allclose(copy.get_parameter("conv.weight"), before["conv.weight"])
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items()), "the model was changed"


@pytest.mark.parametrize("use", [written_into, twice])
def test_what_is_not_the_convolutions_own_answer_stays(use: Callable[[Net, Tensor], Tensor]) -> None:
    assert folded(Net(use).eval(), inputs(4)) is None


def test_layers_to_which_somebody_hooked_something_stay() -> None:
    net = Net(plain).eval()
    net.conv.register_forward_hook(lambda *_: None)
    assert folded(net, inputs(4)) is None


def test_a_model_without_batch_norms_has_no_quick_copy_and_is_not_asked() -> None:
    asked = []
    net = nn.Sequential(nn.Conv2d(2, 3, 8), nn.Flatten())
    net.register_forward_hook(lambda *_: asked.append(1))
    assert TorchModule(net, outputs="logits").quick((2, 8, 8)) is None
    assert asked == []


def test_a_quick_copy_answers_and_differentiates_alike() -> None:
    exact = TorchModule(Net(plain), "net")
    quick = exact.quick((2, 8, 8))
    assert quick is not None
    x, targets = inputs(40), torch.arange(40) % 3
    assert torch.allclose(quick.observe(x).logits, exact.observe(x).logits, atol=1e-5)
    _, one, _ = exact.gradient(x, own_logit, targets)
    _, other, _ = quick.gradient(x, own_logit, targets)
    assert float(one.abs().max()) > 1e-3
    assert torch.allclose(one, other, atol=1e-5)


def test_an_output_that_is_used_twice_is_found_out_by_the_answers() -> None:
    assert folded(Net(with_shortcut).eval(), inputs(4)) is not None
    assert TorchModule(Net(with_shortcut), "net").quick((2, 8, 8)) is None


@pytest.mark.parametrize(("name", "shape"), [("resnet20", (3, 32, 32)), ("deep_speaker:width=4,blocks=1", (4000,))])
def test_networks_of_the_zoo_are_folded_as_a_whole(name: str, shape: tuple[int, ...]) -> None:
    network = model(f"zoo:{name}?random")
    assert isinstance(network, TorchModule)
    quick = network.quick(shape)
    assert quick is not None
    assert not any(isinstance(part, nn.BatchNorm2d) for part in quick.module.modules())
    assert any(isinstance(part, nn.BatchNorm2d) for part in network.module.modules())


class Dark(Net):
    """Refuses bright inputs, as modules do that check what they are given."""

    def forward(self, x: Tensor) -> Tensor:
        if float(x.mean()) > 0.3:
            raise ValueError("images must be dark")
        answer: Tensor = super().forward(x)
        return answer


def test_a_network_that_refuses_probes_has_no_quick_copy() -> None:
    exact = TorchModule(Dark(plain), "dark")
    assert exact.observe(0.1 * inputs(4)).logits.shape == (4, 3)
    assert exact.quick((2, 8, 8)) is None
