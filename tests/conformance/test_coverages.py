"""What is asked of every coverage criterion."""

import json
import pickle

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.catalogue import build, describe, names
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.texts import small_texts


@pytest.fixture(params=names("coverage"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def criterion(name: str) -> Coverage:
    method: Coverage = build("coverage", name)
    return method


@pytest.fixture
def neurons(tiny_model: TorchModule, small_images: Tensor) -> NeuronMap:
    return tiny_model.neuron_map(small_images)


@pytest.fixture
def profile(tiny_model: TorchModule, small_images: Tensor, neurons: NeuronMap) -> Profile:
    """Return the profile on inputs that do less than the others."""
    values = tiny_model.observe(small_images[:20] * 0.9, Want.NEURONS).neurons
    return Profile(tiny_model.identity((1, 8, 8)), neurons, values.amin(dim=0), values.amax(dim=0), 20)


@pytest.fixture
def begun(criterion: Coverage, neurons: NeuronMap, profile: Profile) -> Covered:
    return criterion.begin(neurons, profile)


def test_one_pass_or_many_or_joined(
    criterion: Coverage, neurons: NeuronMap, profile: Profile, tiny_model: TorchModule, small_images: Tensor
) -> None:
    whole, parts = criterion.begin(neurons, profile), [criterion.begin(neurons, profile) for _ in range(4)]
    grown = criterion.begin(neurons, profile)
    whole.update(tiny_model.observe(small_images, criterion.wants))
    for part, rows in zip(parts, small_images.split(10), strict=True):
        part.update(tiny_model.observe(rows, criterion.wants))
        grown.update(tiny_model.observe(rows, criterion.wants))
    before = [part.covered for part in parts]
    joined = (parts[0] | parts[1]) | (parts[2] | parts[3])
    assert whole.covered == grown.covered == joined.covered
    assert whole.value == grown.value == joined.value
    assert whole.shares() == grown.shares() == joined.shares()
    assert [part.covered for part in parts] == before, "joining makes a state of its own"


def test_counts_and_shares_fit_together(
    criterion: Coverage, neurons: NeuronMap, begun: Covered, tiny_model: TorchModule, small_images: Tensor
) -> None:
    assert (begun.covered, begun.value) == (0, 0)
    begun.update(tiny_model.observe(small_images, criterion.wants))
    assert begun.covered > 0
    if begun.total is None:
        assert begun.value == begun.covered <= 40
        return
    assert begun.value == begun.covered / begun.total <= 1
    assert list(begun.shares()) == [layer.name for layer in neurons.layers]
    mean = sum(begun.shares()[layer.name] * layer.count for layer in neurons.layers) / len(neurons)
    assert mean == pytest.approx(begun.value)


def test_works_for_a_single_input_and_for_none(
    criterion: Coverage, begun: Covered, tiny_model: TorchModule, small_images: Tensor
) -> None:
    seen = tiny_model.observe(small_images[:1], criterion.wants)
    begun.update(Observation(seen.logits[:0], seen.neurons[:0], None if seen.extent is None else seen.extent[:0]))
    assert begun.covered == 0
    begun.update(seen)
    once = begun.covered
    begun.update(seen)
    assert begun.covered == once


def test_is_refused_what_is_no_number(criterion: Coverage, begun: Covered, neurons: NeuronMap) -> None:
    for bad in (float("nan"), float("inf")):
        values = torch.zeros(3, len(neurons))
        values[1, 4] = bad
        with pytest.raises(InvalidModel, match="values of neurons must be finite, got NaN or infinity in layer 1"):
            begun.update(Observation(torch.zeros(3, 4), values, torch.zeros(3, 4, 2)))


def test_asks_for_a_profile_only_if_it_says_so(criterion: Coverage, neurons: NeuronMap) -> None:
    if criterion.profiled:
        with pytest.raises(InvalidSetting, match="needs the ranges of the neurons on training data: give a profile"):
            criterion.begin(neurons)
    else:
        assert criterion.begin(neurons).covered == 0


def test_states_begun_otherwise_do_not_join(
    name: str, criterion: Coverage, neurons: NeuronMap, profile: Profile, begun: Covered
) -> None:
    fewer = NeuronMap(neurons.layers[:2], "[01]")
    others = [criterion.begin(fewer, Profile("m", fewer, profile.low[:6], profile.high[:6], 20))]
    alike = (build("coverage", text) for text in small_texts(name, type(criterion)))
    others += [other.begin(neurons, profile) for other in alike if other != criterion]
    if criterion.profiled:
        others.append(
            criterion.begin(neurons, profile | Profile(profile.model, neurons, profile.low - 1, profile.high, 1))
        )
    for other in others:
        with pytest.raises(InvalidSetting, match="coverage begun otherwise cannot be joined"):
            _ = begun | other


@pytest.mark.usefixtures("random_state_stays")
def test_leaves_what_it_was_shown(
    criterion: Coverage, begun: Covered, tiny_model: TorchModule, small_images: Tensor
) -> None:
    single = tiny_model.observe(small_images, Want.RANGES)
    double = Observation(single.logits, single.neurons.double(), single.ranges.double())
    for seen in (single, double):
        before = seen.neurons.clone(), seen.ranges.clone()
        begun.update(seen)
        assert torch.equal(before[0], seen.neurons)
        assert torch.equal(before[1], seen.ranges)


def test_travels_between_processes(
    criterion: Coverage, begun: Covered, tiny_model: TorchModule, small_images: Tensor
) -> None:
    begun.update(tiny_model.observe(small_images, criterion.wants))
    again: Covered = pickle.loads(pickle.dumps(begun))  # noqa: S301 - our own bytes
    assert (again | begun).covered == begun.covered


def test_survives_json(criterion: Coverage) -> None:
    assert build("coverage", json.loads(json.dumps(describe(criterion)))) == criterion


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_takes_models_of_any_precision(criterion: Coverage, small_images: Tensor, dtype: torch.dtype) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 6), nn.ReLU(), nn.Linear(6, 3)).to(dtype)
    model = TorchModule(net, outputs="logits")
    neurons, seen = model.neuron_map(small_images), model.observe(small_images, criterion.wants)
    assert seen.neurons.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    low, high = seen.neurons[:20].amin(dim=0), seen.neurons[:20].amax(dim=0)
    state = criterion.begin(neurons, Profile(model.identity((1, 8, 8)), neurons, low, high, 20))
    state.update(seen)
    assert state.covered > 0
