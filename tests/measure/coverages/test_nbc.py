from collections.abc import Callable

import numpy as np
import pytest
import torch
from dnn_tip import neuron_coverage as dnn_tip

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages.nbc import NBC

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]
Bounded = Callable[..., Profile]


def test_corners_by_hand(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = NBC().begin(layers(1, 2), profile(layers(1, 2), [0, 0, 0], [1, 1, 1]))
    state.update(seen([[0.5, -0.1, 2], [0.2, 0.3, 3]]))
    assert (state.covered, state.total, state.value) == (2, 6, 2 / 6)
    state.update(seen([[1.5, 7, -1]]))
    assert state.value == 5 / 6
    assert state.shares() == {"a": 0.5, "b": 1.0}


def test_low_and_high_themselves_are_inside(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = NBC().begin(layers(2), profile(layers(2), [0, 3], [1, 3]))
    state.update(seen([[0, 3], [1, 3]]))
    assert state.value == 0


def test_both_corners_of_every_neuron_can_be_reached(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = NBC().begin(layers(2), profile(layers(2), [0, 3], [1, 3]))
    state.update(seen([[-1, 4], [2, 2]]))
    assert state.value == 1


def test_agrees_with_dnn_tip_but_for_the_borders(layers: Layers, seen: Seen, profile: Bounded) -> None:
    draw = np.random.default_rng(6)
    training, values = draw.normal(size=(8, 9)).astype(np.float32), draw.normal(size=(7, 9)).astype(np.float32)
    low, high = training.min(axis=0), training.max(axis=0)
    theirs = dnn_tip.NBC([low], [high], [np.zeros(9)], 0)
    state = NBC().begin(layers(9), profile(layers(9), torch.from_numpy(low), torch.from_numpy(high)))
    state.update(seen(torch.from_numpy(values)))
    assert state.covered == theirs([values])[1].any(axis=0).sum()
    assert 0 < state.value < 1
    assert theirs([training])[1].any(axis=0).all(), "there, training data alone covers every corner"


def test_needs_a_profile(layers: Layers) -> None:
    with pytest.raises(InvalidSetting, match="nbc needs the ranges of the neurons on training data"):
        NBC().begin(layers(2))
