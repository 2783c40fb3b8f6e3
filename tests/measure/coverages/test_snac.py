from collections.abc import Callable

import numpy as np
import pytest
import torch
from dnn_tip import neuron_coverage as dnn_tip

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages.snac import SNAC

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]
Bounded = Callable[..., Profile]


def test_strong_activation_by_hand(layers: Layers, seen: Seen, profile: Bounded) -> None:
    state = SNAC().begin(layers(2, 2), profile(layers(2, 2), [0, 0, 0, 0], [1, 1, 1, 1]))
    state.update(seen([[1.1, 1, -7, 0.5], [0.3, 1, -9, 0.6]]))
    assert (state.covered, state.total, state.value) == (1, 4, 0.25)
    assert state.shares() == {"a": 0.5, "b": 0.0}


def test_high_itself_is_inside(layers: Layers, seen: Seen, profile: Bounded) -> None:
    high = torch.tensor([0.1])
    state = SNAC().begin(layers(1), profile(layers(1), [0], high))
    state.update(seen([[0.1]]))
    assert state.value == 0
    state.update(seen([[np.nextafter(np.float32(0.1), np.float32(1))]]))
    assert state.value == 1


def test_agrees_with_dnn_tip_away_from_the_borders(layers: Layers, seen: Seen, profile: Bounded) -> None:
    draw = np.random.default_rng(6)
    training, values = draw.normal(size=(8, 9)).astype(np.float32), draw.normal(size=(7, 9)).astype(np.float32)
    low, high = training.min(axis=0), training.max(axis=0)
    state = SNAC().begin(layers(9), profile(layers(9), torch.from_numpy(low), torch.from_numpy(high)))
    state.update(seen(torch.from_numpy(values)))
    assert state.covered == dnn_tip.SNAC([high], [np.zeros(9)], 0)([values])[1].any(axis=0).sum()
    assert 0 < state.value < 1


def test_needs_a_profile(layers: Layers) -> None:
    with pytest.raises(InvalidSetting, match="snac needs the ranges of the neurons on training data"):
        SNAC().begin(layers(2))
