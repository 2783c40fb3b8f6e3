from collections.abc import Callable

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.measure.coverages.tknp import TKNP

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]


def test_patterns_by_hand(layers: Layers, seen: Seen) -> None:
    state = TKNP(1).begin(layers(2, 2))
    assert state.value == 0
    state.update(seen([[1, 2, 4, 3], [0, 9, 2, 1], [2, 1, 4, 3]]))
    assert (state.covered, state.total, state.value) == (2, None, 2.0)  # (1, 0) twice, and (0, 0)
    state.update(seen([[0, 1, 0, 1], [5, 1, 9, 2]]))
    assert state.value == 3
    assert state.shares() == {}


def test_the_top_k_are_a_set_unless_their_order_is_asked_for(layers: Layers, seen: Seen) -> None:
    rows = seen([[3, 2, 1], [2, 3, 1], [1, 2, 3], [1, 3, 2]])
    for ordered, patterns in ((False, 2), (True, 4)):
        state = TKNP(2, ordered=ordered).begin(layers(3))
        state.update(rows)
        assert state.value == patterns


def test_among_equals_the_lower_index_comes_first(layers: Layers, seen: Seen) -> None:
    state = TKNP(1).begin(layers(3))
    state.update(seen([[1, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]))
    assert state.value == 2


@pytest.mark.parametrize("top", [1, 2, 4, 12])
@pytest.mark.parametrize("ordered", [False, True])
def test_equals_a_set_of_tuples(layers: Layers, seen: Seen, top: int, ordered: bool) -> None:
    values = np.random.default_rng(top).integers(0, 3, size=(200, 13)).astype(np.float32)
    patterns = set()
    for row in values:
        parts = (row[:4], row[4:8], row[8:])
        tops = [np.argsort(-part, kind="stable")[:top].tolist() for part in parts]
        patterns.add(tuple(tuple(one if ordered else sorted(one)) for one in tops))
    state = TKNP(top, ordered).begin(layers(4, 4, 5))
    state.update(seen(torch.from_numpy(values)))
    assert state.value == len(patterns)


def test_memory_is_sixteen_bytes_for_each_pattern(layers: Layers, seen: Seen) -> None:
    state = TKNP().begin(layers(300))
    state.update(seen(torch.eye(300)))
    assert len(state.seen) == 300
    assert {len(pattern) for pattern in state.seen} == {16}


def test_refuses_no_top() -> None:
    with pytest.raises(InvalidSetting, match="top must be >= 1, got 0"):
        TKNP(0)
