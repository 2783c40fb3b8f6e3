from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Observation, Want
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule


class Drawing(nn.Module):
    """A module that draws random numbers, in eval mode too."""

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(1)[:, :3] - 0.5 + 0 * torch.rand(1)


def own_logit(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets.unsqueeze(1)).squeeze(1)


def test_answers_like_the_plain_module(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    seen = TorchModule(tiny_net).observe(small_images)
    with torch.no_grad():
        assert torch.allclose(seen.logits, tiny_net(small_images), atol=1e-6)
    assert not seen.logits.requires_grad
    assert len(seen.predicted.unique()) > 1


def test_offers_gradients_and_neurons(tiny_model: TorchModule) -> None:
    assert tiny_model.offers == Capability.GRADIENTS | Capability.NEURONS
    assert tiny_model.name == "tiny"
    assert TorchModule(nn.Linear(2, 2)).name == "Linear"


def test_many_micro_batches_are_one_pass(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    many = small_images.repeat(20, 1, 1, 1)
    seen = TorchModule(tiny_net).observe(many, Want.NEURONS)
    assert seen.logits.shape == (800, 4)
    assert seen.neurons.shape[0] == 800
    assert torch.equal(seen.logits[760:], seen.logits[:40])


def test_refuses_an_empty_pass(tiny_model: TorchModule, small_images: Tensor) -> None:
    with pytest.raises(InvalidData, match="tiny: a pass needs at least one input"):
        tiny_model.observe(small_images[:0])


# The module is left as it was


def test_leaves_weights_gradients_and_their_flags_alone(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    parameters = list(tiny_net.parameters())
    parameters[0].requires_grad_(False)
    parameters[1].grad = torch.ones_like(parameters[1])
    TorchModule(tiny_net).gradient(small_images, own_logit, torch.zeros(40, dtype=torch.int64))
    assert [parameter.requires_grad for parameter in parameters] == [False, True, True, True]
    assert [parameter.grad is None for parameter in parameters] == [True, False, True, True]
    assert bool((parameters[1].grad == 1).all())


def test_no_hooks_stay_behind(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net)
    model.observe(small_images, Want.NEURONS)
    model.neuron_map(small_images)
    with pytest.raises(ZeroDivisionError):
        model.gradient(small_images, lambda seen, _: seen.logits / (1 // 0), torch.zeros(40), Want.NEURONS)
    with pytest.raises(InvalidModel):
        model.observe(torch.zeros(1, 3, 5), Want.NEURONS)
    assert not any(part._forward_hooks for part in tiny_net.modules())


@pytest.mark.usefixtures("random_state_stays")
def test_a_model_that_draws_numbers_does_not_move_the_global_state(small_images: Tensor) -> None:
    model = TorchModule(Drawing())
    model.observe(small_images)
    model.gradient(small_images, own_logit, torch.zeros(40, dtype=torch.int64))
    model.neuron_map(small_images)


def test_inputs_survive_a_module_that_overwrites_them(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Threshold(0.5, 0.0, inplace=True), nn.Flatten(), nn.Linear(64, 3))
    model, before = TorchModule(net), small_images.clone()
    targets = torch.zeros(40, dtype=torch.int64)
    seen = model.observe(small_images)
    _, gradients, _ = model.gradient(small_images, own_logit, targets)
    model.neuron_map(small_images)
    assert torch.equal(small_images, before)
    expected = (before > 0.5) * net.get_parameter("2.weight")[0].view(1, 1, 8, 8)
    assert torch.allclose(gradients, expected, atol=1e-6)
    assert torch.allclose(seen.logits, net[2]((before * (before > 0.5)).flatten(1)), atol=1e-6)


def test_works_in_inference_mode(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    expected = TorchModule(tiny_net).observe(small_images).logits
    with torch.inference_mode():
        model, inputs = TorchModule(tiny_net), small_images * 1
        assert torch.equal(model.observe(inputs).logits, expected)
        _, gradients, _ = model.gradient(inputs, own_logit, torch.zeros(40, dtype=torch.int64))
        assert bool(gradients.any())


# Bits


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_alone_and_in_company_an_input_gets_the_same_bits(
    lenet5_random: TorchModule, digits40: Tensor, threads: int
) -> None:
    targets = torch.arange(40) % 10
    values, gradients, seen = lenet5_random.gradient(digits40, own_logit, targets, Want.NEURONS)
    forward = lenet5_random.observe(digits40, Want.NEURONS)
    assert seen.neurons.shape == (40, 268)
    for count in range(1, 41, 1 if threads == 1 else 5):
        rows = slice(40 - count, 40)
        alone = lenet5_random.observe(digits40[rows], Want.NEURONS)
        assert torch.equal(alone.logits, forward.logits[rows])
        assert torch.equal(alone.neurons, forward.neurons[rows])
        one, slope, also = lenet5_random.gradient(digits40[rows], own_logit, targets[rows], Want.NEURONS)
        assert torch.equal(one, values[rows])
        assert torch.equal(slope, gradients[rows])
        assert torch.equal(also.logits, seen.logits[rows])
        assert torch.equal(also.neurons, seen.neurons[rows])


@pytest.mark.usefixtures("threads")
def test_order_and_large_company_do_not_matter(lenet5_random: TorchModule, digits40: Tensor) -> None:
    forward = lenet5_random.observe(digits40).logits
    assert torch.equal(lenet5_random.observe(digits40.flip(0)).logits, forward.flip(0))
    crowd = torch.cat([torch.zeros(301, 1, 28, 28), digits40, torch.ones(200, 1, 28, 28)])
    assert torch.equal(lenet5_random.observe(crowd).logits[301:341], forward)


# Gradients


def test_gradients_are_autograds(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    targets = torch.arange(40) % 4
    values, gradients, seen = TorchModule(tiny_net).gradient(small_images, own_logit, targets)
    x = small_images.clone().requires_grad_(True)
    plain = tiny_net(x).gather(1, targets.unsqueeze(1)).squeeze(1)
    plain.sum().backward()
    assert x.grad is not None
    assert torch.allclose(values, plain.detach(), atol=1e-6)
    assert torch.allclose(gradients, x.grad, atol=1e-6)
    assert bool(gradients.any())
    assert [values.requires_grad, gradients.requires_grad, seen.logits.requires_grad] == [False] * 3
    assert torch.allclose(seen.logits, tiny_net(small_images).detach(), atol=1e-6)


def test_several_losses_share_a_pass(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net)
    values, gradients, _ = model.gradient(small_images, lambda seen, _: seen.logits[:, 1:], torch.zeros(40))
    assert values.shape == (40, 3)
    assert gradients.shape == (40, 3, 1, 8, 8)
    for place in range(3):
        one, slope, _ = model.gradient(small_images, own_logit, torch.full((40,), place + 1))
        assert torch.allclose(values[:, place], one, atol=1e-6)
        assert torch.allclose(gradients[:, place], slope, atol=1e-6)


def test_gradients_of_several_losses_lie_alike_in_memory_alone_and_in_company(
    tiny_net: nn.Sequential, small_images: Tensor
) -> None:
    # A sum over them is added up in the order in which they lie.
    def gradients(count: int) -> Tensor:
        x = small_images[:count]
        return TorchModule(tiny_net).gradient(x, lambda seen, _: seen.logits[:, :3], torch.zeros(count))[1]

    alone, together = gradients(1), gradients(6)
    assert alone.is_contiguous()
    assert together.is_contiguous()
    assert torch.equal(alone.flatten(0, 1).flatten(1).norm(dim=1), together.flatten(0, 1).flatten(1).norm(dim=1)[:3])


def test_targets_are_split_with_the_inputs(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    many, model = small_images.repeat(15, 1, 1, 1), TorchModule(tiny_net)
    targets = torch.arange(600) % 4
    values, _, seen = model.gradient(many, own_logit, targets)
    assert torch.equal(values, seen.logits[torch.arange(600), targets])


def test_losses_can_look_at_neurons(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    values, gradients, seen = TorchModule(tiny_net).gradient(
        small_images, lambda seen, _: seen.neurons[:, 0], torch.zeros(40), Want.NEURONS
    )
    assert torch.equal(values, seen.neurons[:, 0])
    weight = tiny_net.get_parameter("0.weight")[0, 0]
    # The mean over 64 places of a 3x3 convolution: an inner pixel is seen by all nine weights.
    assert torch.allclose(gradients[:, 0, 1:-1, 1:-1], (weight.sum() / 64).expand(40, 6, 6), atol=1e-6)


# Identity


def test_identity_changes_with_weights_and_architecture(tiny_net: nn.Sequential) -> None:
    model = TorchModule(tiny_net, "one name")
    first = model.identity((1, 8, 8))
    assert TorchModule(tiny_net, "another name").identity((1, 8, 8)) == first
    tiny_net.get_parameter("4.bias").data[0] += 1e-6
    assert model.identity((1, 8, 8)) != first
    silent, loud = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    loud.load_state_dict(silent.state_dict())
    assert TorchModule(silent).identity((2,)) != TorchModule(loud).identity((2,))


def test_gradients_under_dropout_are_those_of_the_draws(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net, dropout=Dropout(0.3))
    x, names = small_images[:5], tuple("abcde")
    masks = Masks(0, names, 1, 7)

    def loss(seen: Observation, classes: Tensor) -> Tensor:
        return seen.logits.log_softmax(dim=1).gather(1, classes.unsqueeze(1)).squeeze(1)

    classes = torch.tensor([0, 1, 2, 3, 0])
    values, gradients, seen = model.drawn_gradient(x, masks, loss, classes)
    own = model.samples(x, masks)[0]
    torch.testing.assert_close(seen.logits.softmax(dim=1), own, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(values.exp(), own.gather(1, classes.unsqueeze(1)).squeeze(1), atol=1e-6, rtol=1e-4)
    step = 1e-3 * gradients.sign()
    further, back = (model.drawn_gradient(x + sign * step, masks, loss, classes)[0] for sign in (1, -1))
    torch.testing.assert_close(further - back, 2e-3 * gradients.flatten(1).abs().sum(dim=1), atol=2e-2, rtol=0.1)
