"""Coverage criteria on values nobody chose: they only grow, join in any order, and stay in range."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Observation
from unnerve.core.naming.catalogue import build, names
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.core.profiles import Profile

SPECIFICATIONS = (
    "bknc",
    "bknc:3",
    "kmnc:1",
    "kmnc:7",
    "kmnc:1000",
    "nbc",
    "nc:0",
    "nc:0.5",
    "snac",
    "tknc",
    "tknc:3",
    "tknc:9",
    "tknp",
    "tknp:2",
    "tknp:top=2,ordered=true",
)
every_criterion = pytest.mark.parametrize("text", SPECIFICATIONS)

# Few different values make ties, borders and neurons that never move likely.
few = st.sampled_from([-1.5, -0.0, 0.0, 1e-40, 0.25, 1 / 3, 1.0, 3e38])
number = st.one_of(few, st.floats(-4, 4, width=32))


class Case(NamedTuple):
    """A network's neurons, their profile, and what N inputs did to them."""

    profile: Profile
    values: Tensor
    ranges: Tensor

    def state(self, text: str, rows: list[int]) -> Covered:
        """Return what some of the inputs cover, in one pass."""
        criterion: Coverage = build("coverage", text)
        state = criterion.begin(self.profile.neurons, self.profile)
        state.update(Observation(torch.zeros(len(rows), 2), self.values[rows], self.ranges[rows]))
        return state


@st.composite
def cases(draw: st.DrawFn) -> Case:
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    layers = [Layer(str(place), sum(counts[:place]), count) for place, count in enumerate(counts)]
    neurons, units = NeuronMap(tuple(layers), "*"), sum(counts)
    training = torch.from_numpy(draw(arrays(np.float32, (3, units), elements=number)))
    profile = Profile("m", neurons, training.amin(dim=0), training.amax(dim=0), 3)
    values = torch.from_numpy(draw(arrays(np.float32, (draw(st.integers(1, 8)), units), elements=number)))
    parts = [torch.stack([part.amin(dim=1), part.amax(dim=1)], dim=1) for _, part in neurons.split(values)]
    return Case(profile, values, torch.stack(parts, dim=1))


def same(one: Covered, other: Covered) -> bool:
    """Say whether two states hold the same: joining them adds nothing to either."""
    return one.covered == other.covered == (one | other).covered


def test_every_criterion_is_here() -> None:
    assert {text.partition(":")[0] for text in SPECIFICATIONS} == set(names("coverage"))


@every_criterion
@given(case=cases())
@settings(max_examples=12)
def test_range(text: str, case: Case) -> None:
    everyone = list(range(len(case.values)))
    state = case.state(text, everyone)
    assert state.value >= 0
    assert state.value <= (1 if state.total is not None else len(everyone))
    assert all(0 <= share <= 1 for share in state.shares().values())


@every_criterion
@given(case=cases(), data=st.data())
@settings(max_examples=12)
def test_joined_parts_are_one_pass_and_order_does_not_matter(text: str, case: Case, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(case.values))))
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(order))] * 2)))
    one, two, three = (case.state(text, part) for part in (order[:first], order[first:second], order[second:]))
    whole = case.state(text, list(range(len(order))))
    assert same((one | two) | three, whole)
    assert same(one | (two | three), whole)
    assert same(three | two | one, whole)


@every_criterion
@given(case=cases(), data=st.data())
@settings(max_examples=12)
def test_more_inputs_never_cover_less(text: str, case: Case, data: st.DataObject) -> None:
    some = data.draw(st.lists(st.integers(0, len(case.values) - 1)))
    part, whole = case.state(text, some), case.state(text, list(range(len(case.values))))
    assert part.covered <= whole.covered
    assert same(part | whole, whole)
    assert same(part | part, part)


@given(case=cases(), sections=st.sampled_from([1, 2, 3, 10, 1000]))
@settings(max_examples=30)
def test_a_value_inside_has_one_section_and_a_value_outside_one_corner(case: Case, sections: int) -> None:
    low, high = case.profile.low, case.profile.high
    for row in range(len(case.values)):
        inside = (case.values[row] >= low) & (case.values[row] <= high)
        assert case.state(f"kmnc:{sections}", [row]).covered == int((inside & (low < high)).sum())
        assert case.state("nbc", [row]).covered == int((~inside).sum())
        assert case.state("snac", [row]).covered == int((case.values[row] > high).sum())


@given(case=cases())
@settings(max_examples=25)
def test_training_data_reaches_no_corner(case: Case) -> None:
    case = case._replace(
        profile=Profile("m", case.profile.neurons, case.values.amin(dim=0), case.values.amax(dim=0), 1)
    )
    everyone = list(range(len(case.values)))
    assert case.state("nbc", everyone).covered == case.state("snac", everyone).covered == 0
    moved = int((case.profile.low < case.profile.high).sum())
    assert case.state("kmnc:1", everyone).covered == moved


@given(case=cases(), count=st.integers(1, 9))
@settings(max_examples=25)
def test_one_input_has_min_k_neurons_in_each_layer(case: Case, count: int) -> None:
    expected = sum(min(count, layer.count) for layer in case.profile.neurons.layers)
    assert case.state(f"tknc:{count}", [0]).covered == expected
    assert case.state(f"bknc:{count}", [0]).covered == expected
    assert case.state(f"tknp:{count}", [0]).covered == 1
