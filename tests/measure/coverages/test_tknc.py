from collections.abc import Callable

import numpy as np
import pytest
import torch
from dnn_tip import neuron_coverage as dnn_tip

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.measure.coverages.tknc import TKNC

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]


def test_the_most_active_of_each_layer_by_hand(layers: Layers, seen: Seen) -> None:
    state = TKNC(2).begin(layers(3, 4))
    state.update(seen([[5, 1, 3, 0, -1, -2, -3]]))
    assert (state.covered, state.total, state.value) == (4, 7, 4 / 7)
    assert state.shares() == {"a": 2 / 3, "b": 0.5}
    state.update(seen([[9, 8, 0, -5, -4, 2, 1]]))
    assert state.shares() == {"a": 1.0, "b": 1.0}


def test_among_equals_the_lower_index_comes_first(layers: Layers, seen: Seen) -> None:
    for top, covered in ((1, [0]), (2, [0, 2]), (3, [0, 2, 3]), (4, [0, 1, 2, 3])):
        state = TKNC(top).begin(layers(1, 1, 1, 1))
        state.update(seen([[1, 1, 1, 1]]))
        assert state.value == 1, "one neuron in a layer is always its most active one"
        state = TKNC(top).begin(layers(5))
        state.update(seen([[7, 0, 7, 3, -0.0]]))
        assert np.flatnonzero(state.bits).tolist() == covered


def test_a_layer_smaller_than_k_is_covered_whole(layers: Layers, seen: Seen) -> None:
    for top in (3, 12):
        state = TKNC(top).begin(layers(2, 20))
        state.update(seen([[1, 2, *range(20)]]))
        assert state.shares() == {"a": 1.0, "b": top / 20}


def test_agrees_with_dnn_tip_without_ties(layers: Layers, seen: Seen) -> None:
    values = np.random.default_rng(2).normal(size=(9, 40)).astype(np.float32)
    for top in (1, 3, 8, 9, 10):
        state = TKNC(top).begin(layers(10, 30))
        state.update(seen(torch.from_numpy(values)))
        _, theirs = dnn_tip.TKNC(top)([values[:, :10], values[:, 10:]])
        assert (state.bits[:, 0].astype(bool) == theirs.any(axis=0)).all()


def test_refuses_no_top() -> None:
    with pytest.raises(InvalidSetting, match="top must be >= 1, got 0"):
        TKNC(0)
