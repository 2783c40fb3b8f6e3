import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from dnn_tip import neuron_coverage as dnn_tip

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._obligations import Obligations
from unnerve.measure.coverages.kmnc import KMNC

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]
Bounded = Callable[..., Profile]


def met(state: Obligations, neuron: int = 0) -> list[int]:
    """Return the sections of a neuron that are met."""
    bits = np.unpackbits(state.bits[neuron], bitorder="little")
    return [int(section) for section in np.flatnonzero(bits)]


def test_sections_by_hand(layers: Layers, seen: Seen, profile: Bounded) -> None:
    # [0, 1] in four sections: [0, .25) [.25, .5) [.5, .75) [.75, 1]
    for value, section in ((0, 0), (0.2, 0), (0.25, 1), (0.49, 1), (0.5, 2), (0.75, 3), (0.99, 3), (1, 3)):
        state = KMNC(4).begin(layers(1), profile(layers(1), [0], [1]))
        state.update(seen([[value]]))
        assert met(state) == [section]
        assert state.value == 1 / 4


def test_a_value_exactly_at_low_or_high_is_inside(layers: Layers, seen: Seen, profile: Bounded) -> None:
    low, high = torch.tensor([0.1, -3.3]), torch.tensor([0.7, 1e-3])
    state = KMNC(1000).begin(layers(2), profile(layers(2), low, high))
    state.update(seen(torch.stack([low, high])))
    assert [met(state, neuron) for neuron in (0, 1)] == [[0, 999], [0, 999]]


def test_values_outside_fall_into_no_section(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = KMNC(10).begin(layers(1), profile(layers(1), [0], [1]))
    below, above = np.nextafter(np.float32(0), np.float32(-1)), np.nextafter(np.float32(1), np.float32(2))
    state.update(seen([[below], [above], [-1e38], [1e38]]))
    assert state.value == 0


def test_a_neuron_that_never_moved_counts_only_below_the_line(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = KMNC(2).begin(layers(2), profile(layers(2), [0, 5], [1, 5]))
    state.update(seen([[0.1, 5], [0.9, 5], [0.5, 4], [0.5, 6]]))
    assert (state.covered, state.total, state.value) == (2, 4, 0.5)
    assert met(state, 1) == []


def test_a_range_of_one_rounding_step_works(layers: Layers, seen: Seen, profile: Bounded) -> None:
    low = np.float32(1)
    high = np.nextafter(low, np.float32(2))
    state = KMNC(10_000).begin(layers(1), profile(layers(1), [low], [high]))
    state.update(seen([[low], [high]]))
    assert met(state) == [0, 9999]


def test_no_border_goes_wrong_by_rounding(layers: Layers, seen: Seen, profile: Bounded) -> None:
    # Whole numbers from 0 to k are the borders themselves: exact in single precision, whatever k.
    for sections in (3, 7, 49, 1000, 9999):
        state = KMNC(sections).begin(layers(1), profile(layers(1), [0], [sections]))
        state.update(seen(torch.arange(sections).unsqueeze(1)))
        assert state.value == 1


@pytest.mark.parametrize("sections", [13, 10_000, 1_000_000])
def test_equals_the_definition_in_exact_numbers(layers: Layers, seen: Seen, profile: Bounded, sections: int) -> None:
    draw = np.random.default_rng(5)
    training, values = draw.normal(size=(20, 6)).astype(np.float32), draw.normal(size=(50, 6)).astype(np.float32)
    low, high = training.min(axis=0), training.max(axis=0)
    expected = set()
    for row in values:
        for neuron, value in enumerate(row):
            if low[neuron] <= value <= high[neuron]:
                start, stop, at = (Fraction(float(number)) for number in (low[neuron], high[neuron], value))
                expected.add((neuron, min(sections - 1, math.floor((at - start) / (stop - start) * sections))))
    state = KMNC(sections).begin(layers(2, 4), profile(layers(2, 4), torch.from_numpy(low), torch.from_numpy(high)))
    state.update(seen(torch.from_numpy(values)))
    assert {(neuron, section) for neuron in range(6) for section in met(state, neuron)} == expected
    assert state.shares() == {
        "a": len([one for one in expected if one[0] < 2]) / (2 * sections),
        "b": len([one for one in expected if one[0] >= 2]) / (4 * sections),
    }


@pytest.mark.parametrize("sections", [10, 1000])
def test_many_inputs_at_once_meet_what_they_meet_one_by_one(
    layers: Layers, seen: Seen, profile: Bounded, sections: int
) -> None:
    count, values = 5000, torch.from_numpy(np.random.default_rng(8).normal(size=(40, 5000)).astype(np.float32))
    bounds = profile(layers(count), values[:30].amin(dim=0), values[:30].amax(dim=0))
    whole, parts = KMNC(sections).begin(layers(count), bounds), KMNC(sections).begin(layers(count), bounds)
    whole.update(seen(values))
    for row in values:
        parts.update(seen(row.unsqueeze(0)))
    assert (whole.bits == parts.bits).all()
    assert whole.covered > count


def test_more_inputs_and_sections_than_are_taken_at_a_time(layers: Layers, seen: Seen, profile: Bounded) -> None:
    values = torch.from_numpy(np.random.default_rng(9).random((3000, 300), dtype=np.float32))
    bounds = profile(layers(300), torch.zeros(300), torch.ones(300))
    state = KMNC(30_000).begin(layers(300), bounds)
    state.update(seen(values))
    expected = (values.double() * 30_000).long()
    assert state.covered == sum(len(column.unique()) for column in expected.T)
    assert met(state, 299) == expected[:, 299].unique().tolist()


def test_agrees_with_dnn_tip_away_from_the_borders(layers: Layers, seen: Seen, profile: Bounded) -> None:
    draw = np.random.default_rng(6)
    training, values = draw.normal(size=(30, 8)).astype(np.float32), draw.normal(size=(60, 8)).astype(np.float32)
    low, high = training.min(axis=0), training.max(axis=0)
    _, theirs = dnn_tip.KMNC([low.astype(float)], [high.astype(float)], 50)([values.astype(float)])
    state = KMNC(50).begin(layers(8), profile(layers(8), torch.from_numpy(low), torch.from_numpy(high)))
    state.update(seen(torch.from_numpy(values)))
    ours = np.unpackbits(state.bits, axis=1, bitorder="little")[:, :50]
    assert (ours == theirs.any(axis=0)).all()
    assert 0 < state.value < 1


def test_dnn_tip_drops_a_neuron_at_its_maximum_and_we_do_not(layers: Layers, seen: Seen, profile: Bounded) -> None:
    _, theirs = dnn_tip.KMNC([np.array([0.0])], [np.array([1.0])], 10)([np.array([[1.0]])])
    assert not theirs.any()
    state = KMNC(10).begin(layers(1), profile(layers(1), [0], [1]))
    state.update(seen([[1.0]]))
    assert met(state) == [9]


def test_neural_coverage_loses_the_minimum_and_we_do_not(layers: Layers, seen: Seen, profile: Bounded) -> None:
    # It rounds up, so that the training minimum falls into its section 0, which stands for "outside".
    state = KMNC(10).begin(layers(1), profile(layers(1), [0], [1]))
    state.update(seen([[0.0]]))
    assert met(state) == [0]


def test_memory_is_one_bit_for_each_section(layers: Layers, profile: Bounded) -> None:
    state = KMNC(10_000).begin(layers(300), profile(layers(300), torch.zeros(300), torch.ones(300)))
    assert state.bits.nbytes == 300 * 1250


def test_needs_a_profile_of_the_same_neurons(layers: Layers, profile: Bounded) -> None:
    with pytest.raises(InvalidSetting, match="kmnc needs the ranges of the neurons on training data"):
        KMNC().begin(layers(2))
    with pytest.raises(InvalidSetting, match="the profile is of other neurons: 2 chosen by"):
        KMNC().begin(layers(3), profile(layers(2), [0, 0], [1, 1]))


def test_refuses_no_sections() -> None:
    with pytest.raises(InvalidSetting, match="sections must be >= 1, got 0"):
        KMNC(0)
