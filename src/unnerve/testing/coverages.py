"""What is asked of every coverage criterion."""

import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Observation, Want
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.promises import about, promise, promise_json, random_state_stays, refuses
from unnerve.testing.scene import small_images, tiny_model
from unnerve.testing.texts import small_texts

__all__ = ["check_coverage"]


@dataclass(frozen=True, eq=False)
class _Case:
    """A criterion, others of its kind, and a network with its profile on inputs that do less than the others."""

    criterion: Coverage
    others: Sequence[Coverage]
    model: TorchModule
    images: Tensor
    neurons: NeuronMap
    profile: Profile

    def begun(self) -> Covered:
        return self.criterion.begin(self.neurons, self.profile)

    def seen(self, images: Tensor) -> Observation:
        return self.model.observe(images, self.criterion.wants)


def check_coverage(criterion: Coverage | str) -> None:
    """Raise an AssertionError that says what a criterion promises and does not keep.

    Parameters
    ----------
    criterion : Coverage or str
        With its settings; those that its class names as ``small`` serve as criteria that must not be mixed up with it.

    Examples
    --------
    >>> from unnerve.testing.coverages import check_coverage
    >>> check_coverage("nc:0.5")
    """
    method: Coverage = build("coverage", criterion)
    name = str(describe(method)["name"])
    alike = small_texts(name, type(method)) if hasattr(method, "small") else ()
    others = [other for text in alike if (other := build("coverage", text)) != method]
    with about(name):
        for check in _CHECKS:
            model, images = tiny_model(), small_images()
            neurons = model.neuron_map(images)
            # Dimmer inputs, so that the others leave the ranges: else nbc and snac would have nothing to cover.
            values = model.observe(images[:20] * 0.9, Want.NEURONS).neurons
            profile = Profile(model.identity((1, 8, 8)), neurons, values.amin(dim=0), values.amax(dim=0), 20)
            check(_Case(method, others, model, images, neurons, profile))
        promise_json("coverage", method)


def _one_pass_or_many_or_joined(case: _Case) -> None:
    whole, grown, parts = case.begun(), case.begun(), [case.begun() for _ in range(4)]
    whole.update(case.seen(case.images))
    for part, rows in zip(parts, case.images.split(10), strict=True):
        part.update(case.seen(rows))
        grown.update(case.seen(rows))
    before = [part.covered for part in parts]
    joined = (parts[0] | parts[1]) | (parts[2] | parts[3])
    for name, other in (("many passes", grown), ("parts that are joined", joined)):
        same = (whole.covered, whole.value, whole.shares()) == (other.covered, other.value, other.shares())
        promise(same, f"{name} must cover what one pass covers")
    promise([part.covered for part in parts] == before, "joining must make a state of its own")


def _counts_and_shares_fit_together(case: _Case) -> None:
    begun = case.begun()
    promise((begun.covered, begun.value) == (0, 0), "nothing must be covered before any input")
    begun.update(case.seen(case.images))
    promise(begun.covered > 0, "forty inputs must cover something")
    if begun.total is None:
        promise(begun.value == begun.covered <= 40, "without a total the value must be the number, at most the inputs'")
        return
    promise(begun.value == begun.covered / begun.total <= 1, "the value must be the share that is covered")
    layers = [layer.name for layer in case.neurons.layers]
    promise(list(begun.shares()) == layers, f"shares must be given for the layers {', '.join(layers)}")
    mean = sum(begun.shares()[layer.name] * layer.count for layer in case.neurons.layers) / len(case.neurons)
    promise(math.isclose(mean, begun.value, rel_tol=1e-6), "the layers' shares must make up the value")


def _works_for_a_single_input_and_for_none(case: _Case) -> None:
    begun, seen = case.begun(), case.seen(case.images[:1])
    begun.update(Observation(seen.logits[:0], seen.neurons[:0], None if seen.extent is None else seen.extent[:0]))
    promise(begun.covered == 0, "no input must cover nothing")
    begun.update(seen)
    once = begun.covered
    begun.update(seen)
    promise(begun.covered == once, "the same input again must cover nothing new")


def _is_refused_what_is_no_number(case: _Case) -> None:
    words = "values of neurons must be finite, got NaN or infinity in layer 1"
    for bad in (float("nan"), float("inf")):
        values = torch.zeros(3, len(case.neurons))
        values[1, 4] = bad
        with refuses(InvalidModel, words, f"a neuron's value of {bad}"):
            case.begun().update(Observation(torch.zeros(3, 4), values, torch.zeros(3, 4, 2)))


def _asks_for_a_profile_only_if_it_says_so(case: _Case) -> None:
    if case.criterion.profiled:
        words = "needs the ranges of the neurons on training data: give a profile"
        with refuses(InvalidSetting, words, "a criterion that is profiled, begun without a profile,"):
            case.criterion.begin(case.neurons)
    else:
        promise(case.criterion.begin(case.neurons).covered == 0, "it must begin without a profile")


def _states_begun_otherwise_do_not_join(case: _Case) -> None:
    profile, fewer = case.profile, NeuronMap(case.neurons.layers[:2], "[01]")
    others = [case.criterion.begin(fewer, Profile("m", fewer, profile.low[:6], profile.high[:6], 20))]
    others += [other.begin(case.neurons, profile) for other in case.others]
    if case.criterion.profiled:
        wider = profile | Profile(profile.model, case.neurons, profile.low - 1, profile.high, 1)
        others.append(case.criterion.begin(case.neurons, wider))
    for other in others:
        with refuses(InvalidSetting, "coverage begun otherwise cannot be joined", "joining what was begun otherwise"):
            _ = case.begun() | other


def _leaves_what_it_was_shown(case: _Case) -> None:
    begun, single = case.begun(), case.model.observe(case.images, Want.RANGES)
    double = Observation(single.logits, single.neurons.double(), single.ranges.double())
    for seen in (single, double):
        before = seen.neurons.clone(), seen.ranges.clone()
        with random_state_stays():
            begun.update(seen)
        same = torch.equal(before[0], seen.neurons) and torch.equal(before[1], seen.ranges)
        promise(same, "what a pass showed must be left as it was")


def _travels_between_processes(case: _Case) -> None:
    begun = case.begun()
    begun.update(case.seen(case.images))
    again: Covered = pickle.loads(pickle.dumps(begun))  # noqa: S301 - our own bytes
    promise((again | begun).covered == begun.covered, "a state must be the same after pickling")


def _takes_models_of_any_precision(case: _Case) -> None:
    # Sections and top-k compare numbers, which half precision rounds together.
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            net = nn.Sequential(nn.Flatten(), nn.Linear(64, 6), nn.ReLU(), nn.Linear(6, 3)).to(dtype)
        model = TorchModule(net, outputs="logits")
        neurons, seen = model.neuron_map(case.images), model.observe(case.images, case.criterion.wants)
        wanted = torch.float64 if dtype == torch.float64 else torch.float32
        promise(seen.neurons.dtype == wanted, f"neurons of a model in {dtype} must be {wanted}")
        low, high = seen.neurons[:20].amin(dim=0), seen.neurons[:20].amax(dim=0)
        state = case.criterion.begin(neurons, Profile(model.identity((1, 8, 8)), neurons, low, high, 20))
        state.update(seen)
        promise(state.covered > 0, f"inputs of a model in {dtype} must cover something")


_CHECKS = (
    _one_pass_or_many_or_joined,
    _counts_and_shares_fit_together,
    _works_for_a_single_input_and_for_none,
    _is_refused_what_is_no_number,
    _asks_for_a_profile_only_if_it_says_so,
    _states_begun_otherwise_do_not_join,
    _leaves_what_it_was_shown,
    _travels_between_processes,
    _takes_models_of_any_precision,
)
