from collections.abc import Callable

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.measure.coverages.bknc import BKNC

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]


def test_the_least_active_of_each_layer_by_hand(layers: Layers, seen: Seen) -> None:
    state = BKNC(2).begin(layers(3, 4))
    state.update(seen([[5, 1, 3, 0, -1, -2, -3]]))
    assert np.flatnonzero(state.bits).tolist() == [1, 2, 5, 6]
    assert (state.covered, state.total, state.value) == (4, 7, 4 / 7)


def test_behind_a_relu_the_first_silent_neurons_are_taken(layers: Layers, seen: Seen) -> None:
    for bottom, covered in ((1, [1]), (2, [1, 3]), (3, [1, 3, 4]), (4, [1, 2, 3, 4]), (9, [0, 1, 2, 3, 4])):
        state = BKNC(bottom).begin(layers(5))
        state.update(seen([[7, 0, 0.5, -0.0, 0]]))
        assert np.flatnonzero(state.bits).tolist() == covered


def test_equals_a_plain_stable_sort(layers: Layers, seen: Seen) -> None:
    values = np.random.default_rng(2).integers(0, 4, size=(3, 40)).astype(np.float32)
    for bottom in (1, 3, 8, 9, 10):
        state = BKNC(bottom).begin(layers(10, 30))
        state.update(seen(torch.from_numpy(values)))
        lowest = {
            start + neuron
            for row in values
            for start, stop in ((0, 10), (10, 40))
            for neuron in np.argsort(row[start:stop], kind="stable")[:bottom].tolist()
        }
        assert set(np.flatnonzero(state.bits).tolist()) == lowest


def test_refuses_no_bottom() -> None:
    with pytest.raises(InvalidSetting, match="bottom must be >= 1, got 0"):
        BKNC(0)
