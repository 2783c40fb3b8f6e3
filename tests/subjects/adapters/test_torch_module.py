from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Capability, Observation, Want
from unnerve.subjects.adapters.torch_module import TorchModule


class Answering(nn.Module):
    """A module without weights that answers by a function of its input."""

    def __init__(self, answer: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, x: Tensor) -> Any:
        return self.answer(x)


def answering(answer: Callable[[Tensor], Any], **more: Any) -> TorchModule:
    return TorchModule(Answering(answer), "mine", **more)


def own_logit(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets.unsqueeze(1)).squeeze(1)


def snapshot(module: nn.Module) -> list[Tensor]:
    return [tensor.clone() for tensor in module.state_dict().values()]


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


def test_runs_in_eval_mode_and_gives_the_flags_back(small_images: Tensor) -> None:
    net = nn.Sequential(nn.BatchNorm2d(1), nn.Dropout(0.5), nn.Flatten(), nn.Linear(64, 3))
    net.train()
    net[1].eval()
    flags = [part.training for part in net.modules()]
    assert flags == [True, True, False, True, True]
    before, model = snapshot(net), TorchModule(net)
    first = model.observe(small_images).logits
    model.gradient(small_images, own_logit, torch.zeros(40, dtype=torch.int64), Want.NEURONS)
    model.neuron_map(small_images)
    assert [part.training for part in net.modules()] == flags
    assert all(torch.equal(old, new) for old, new in zip(before, snapshot(net), strict=True))
    net.eval()
    with torch.no_grad():
        assert torch.allclose(first, net(small_images), atol=1e-6)


def test_gives_the_flags_back_after_an_error(tiny_net: nn.Sequential) -> None:
    tiny_net.train()
    with pytest.raises(InvalidModel):
        TorchModule(tiny_net).observe(torch.zeros(1, 3, 5))
    assert all(part.training for part in tiny_net.modules())


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
    model = answering(lambda x: x.flatten(1)[:, :3] - 0.5 + 0 * torch.rand(1))
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
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_alone_and_in_company_an_input_gets_the_same_bits(lenet5_random: TorchModule, digits40: Tensor) -> None:
    targets = torch.arange(40) % 10
    values, gradients, seen = lenet5_random.gradient(digits40, own_logit, targets, Want.NEURONS)
    forward = lenet5_random.observe(digits40, Want.NEURONS)
    assert seen.neurons.shape == (40, 268)
    for count in range(1, 41):
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


# Answers


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (x.flatten(1), x), "mine: output must be one tensor of shape (N, classes), got tuple"),
        (lambda x: [x.flatten(1), x.flatten(1)], "mine: output must have shape (2, classes >= 2), got (2, 2, 64)"),
        (lambda x: {"out": x}, "mine: output must be one tensor of shape (N, classes), got dict"),
        (lambda x: None, "mine: output must be one tensor of shape (N, classes), got NoneType"),
        (lambda x: x.sum(dim=(1, 2, 3)), "mine: output must have shape (2, classes >= 2), got (2,)"),
        (lambda x: x.flatten(1)[:, :1], "mine: output must have shape (2, classes >= 2), got (2, 1)"),
        (lambda x: x.flatten(1)[:0], "mine: output must have shape (2, classes >= 2), got (0, 64)"),
        (lambda x: x, "mine: output must have shape (2, classes >= 2), got (2, 1, 8, 8)"),
        (lambda x: x.flatten(1) * float("nan"), "mine: output has NaN or infinite values"),
        (lambda x: x.flatten(1) / 0, "mine: output has NaN or infinite values"),
        (lambda x: 1 / 0, "mine raised ZeroDivisionError on inputs of shape (2, 1, 8, 8): division by zero"),
        (lambda x: x.view(-1, 7), "mine raised RuntimeError on inputs of shape (2, 1, 8, 8): "),
        (lambda x: next(iter([])), "mine raised StopIteration on inputs of shape (2, 1, 8, 8): no message"),
    ],
)
def test_one_clear_line_for_every_strange_answer(
    small_images: Tensor, answer: Callable[[Tensor], Any], words: str
) -> None:
    for ask in (answering(answer).observe, answering(answer).neuron_map):
        with pytest.raises(InvalidModel) as error:
            ask(small_images.clamp_min(0.01))
        assert str(error.value).startswith(words)
        assert "\n" not in str(error.value)


def test_modules_that_squeeze_a_single_row_work(small_images: Tensor) -> None:
    seen = answering(lambda x: (x.flatten(1)[:, :3] - 0.5).squeeze()).observe(small_images[:1])
    assert torch.equal(seen.logits, small_images[:1].flatten(1)[:, :3] - 0.5)


def test_a_late_nan_is_found(small_images: Tensor) -> None:
    model = answering(lambda x: (x.flatten(1) - 0.5).log2() if len(x) > 2 else x.flatten(1) - 0.5)
    with pytest.raises(InvalidModel, match="mine: output has NaN or infinite values"):
        model.observe(small_images)


def test_sigmoids_are_neither_logits_nor_probabilities(small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match=r"outputs lie in \[0, 1\] but rows do not sum to one.*--outputs"):
        answering(lambda x: x.flatten(1).sigmoid()).observe(small_images)
    forced = answering(lambda x: x.flatten(1).sigmoid(), outputs="logits")
    assert torch.equal(forced.observe(small_images).logits, small_images.flatten(1).sigmoid())


def test_logits_are_recognised_by_a_whole_batch_not_by_its_first_row(small_images: Tensor) -> None:
    small_images[0] = 0.3
    model = answering(lambda x: x.flatten(1)[:, :2] * 4 - 1)
    seen = model.observe(small_images)
    assert seen.logits[0].tolist() == pytest.approx([0.2, 0.2]), "by this row alone it could be either"
    assert torch.allclose(seen.logits, small_images.flatten(1)[:, :2] * 4 - 1)


def test_probabilities_are_recognised(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    plain = TorchModule(tiny_net).observe(small_images)
    seen = TorchModule(nn.Sequential(tiny_net, nn.Softmax(dim=1))).observe(small_images)
    assert torch.allclose(seen.probabilities, plain.probabilities, atol=1e-6)
    assert torch.allclose(seen.logits.exp(), plain.probabilities, atol=1e-6)


def test_certainty_has_finite_logits(small_images: Tensor) -> None:
    seen = answering(lambda x: torch.eye(3)[torch.zeros(len(x), dtype=torch.int64)]).observe(small_images)
    assert bool(torch.isfinite(seen.logits).all())
    assert torch.allclose(seen.probabilities, torch.tensor([[1.0, 0.0, 0.0]]).expand(40, 3), rtol=0, atol=1e-30)


def test_probabilities_that_stop_being_some_are_refused(small_images: Tensor) -> None:
    model = answering(lambda x: torch.eye(2)[torch.zeros(len(x), dtype=torch.int64)] * (1 + (x.amax() > 2)))
    model.observe(small_images)
    with pytest.raises(InvalidModel, match="outputs must be probabilities, but rows are negative or do not sum to one"):
        model.observe(small_images + 2)


def test_what_the_user_says_of_outputs_goes_first(small_images: Tensor) -> None:
    uniform = answering(lambda x: torch.full((len(x), 4), 0.25), outputs="logits")
    assert torch.equal(uniform.observe(small_images).logits, torch.full((40, 4), 0.25))
    with pytest.raises(InvalidModel, match="outputs must be probabilities"):
        answering(lambda x: x.flatten(1) - 2, outputs="probabilities").observe(small_images)
    with pytest.raises(InvalidSetting, match="outputs must be one of auto, logits, probabilities, got 'labels'"):
        answering(lambda x: x, outputs="labels")


def test_answers_wrapped_as_hugging_face_does(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    wrapped = answering(lambda x: SimpleNamespace(logits=tiny_net(x), loss=None))
    assert torch.equal(wrapped.observe(small_images).logits, TorchModule(tiny_net).observe(small_images).logits)


def test_other_precisions_become_float32(small_images: Tensor) -> None:
    seen = answering(lambda x: (x.flatten(1) - 0.5).double()).observe(small_images)
    assert seen.logits.dtype == torch.float32


# Memory formats and memory


class Viewing(nn.Module):
    """A network that calls ``view`` on a feature map, which channels-last inputs do not allow."""

    def __init__(self, merge: bool) -> None:
        super().__init__()
        self.conv, self.dense, self.merge = nn.Conv2d(2, 4, 3, padding=1), nn.Linear(64, 3), merge

    def forward(self, x: Tensor) -> Tensor:
        maps: Tensor = self.conv(x)
        if self.merge:
            maps = maps.view(len(x) * 4, 8, 8)[:, ::2, ::2].reshape(len(x), 4, 4, 4)
        else:
            maps = maps.view(len(x), -1).reshape(len(x), 4, 8, 8)[:, :, ::2, ::2]
        logits: Tensor = self.dense(maps.flatten(1))
        return logits


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_views_of_feature_maps_work(small_images: Tensor, merge: bool, count: int) -> None:
    net, x = Viewing(merge), small_images.repeat(1, 2, 1, 1)[:count]
    with torch.no_grad():
        assert torch.allclose(TorchModule(net, outputs="logits").observe(x).logits, net(x), atol=1e-6)


class Greedy(nn.Module):
    """A module that runs out of memory above some rows, and remembers the sizes that it could do."""

    def __init__(self, most: int, problem: Exception) -> None:
        super().__init__()
        self.most, self.problem = most, problem
        self.sizes: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > self.most:
            raise self.problem
        self.sizes.append(len(x))
        return x.flatten(1)[:, :3] - 0.5


ALLOCATOR = RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")


@pytest.mark.parametrize("problem", [ALLOCATOR, torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
@pytest.mark.parametrize("most", [2, 20, 50, 100])
def test_halves_the_micro_batch_when_memory_runs_out(small_images: Tensor, most: int, problem: Exception) -> None:
    net, x = Greedy(most, problem), small_images.repeat(4, 1, 1, 1)
    model = TorchModule(net)
    expected = x.flatten(1)[:, :3] - 0.5
    assert torch.equal(model.observe(x).logits, expected)
    assert max(net.sizes) == {2: 2, 20: 16, 50: 32, 100: 64}[most]
    net.sizes.clear()
    values, gradients, _ = model.gradient(x, lambda seen, _: seen.logits[:, 1], torch.zeros(160))
    assert torch.equal(values, expected[:, 1])
    assert torch.equal(gradients.flatten(1), torch.eye(64)[1].expand(160, 64))
    assert min(net.sizes) >= 2


@pytest.mark.parametrize("most", [0, 1])
def test_gives_up_when_nothing_fits(small_images: Tensor, most: int) -> None:
    model = TorchModule(Greedy(most, ALLOCATOR), "greedy")
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch needs more memory than there is$"):
        model.observe(small_images)


def test_gives_up_when_memory_runs_out_later(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    net = Greedy(50, ALLOCATOR)
    model = TorchModule(net, "greedy")
    model.observe(small_images)
    net.most = 0
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        model.observe(small_images)


def test_other_runtime_errors_are_the_models(small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match="raised RuntimeError"):
        TorchModule(Greedy(0, RuntimeError("size mismatch"))).observe(small_images)


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


# Neurons


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


def test_refuses_a_pattern_that_fits_nothing(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net, neurons="fc*")
    with pytest.raises(InvalidModel, match=r"no layer matches 'fc\*'; layers are: 0, 1, 2, 3, 4"):
        model.observe(small_images, Want.NEURONS)


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
