"""Small neuron maps, passes and profiles for the coverage tests."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from unnerve.core.model import Observation
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.core.profiles import Profile

Rows = Sequence[Sequence[float]] | Tensor


@pytest.fixture
def layers() -> Callable[..., NeuronMap]:
    """Return layers(2, 3) -> a map of a layer ``a`` with two and a layer ``b`` with three neurons."""

    def made(*counts: int) -> NeuronMap:
        starts = [sum(counts[:place]) for place in range(len(counts))]
        named = zip("abcdefghij", starts, counts, strict=False)
        return NeuronMap(tuple(Layer(name, start, count) for name, start, count in named), "*")

    return made


@pytest.fixture
def seen() -> Callable[..., Observation]:
    """Return seen(neurons (N, U), ranges (N, L, 2)) -> what such a pass shows."""

    def made(neurons: Rows, ranges: Sequence[object] | Tensor | None = None) -> Observation:
        values = torch.as_tensor(neurons, dtype=torch.float32)
        extent = None if ranges is None else torch.as_tensor(ranges, dtype=torch.float32)
        return Observation(torch.zeros(len(values), 2), values, extent)

    return made


@pytest.fixture
def profile() -> Callable[..., Profile]:
    """Return profile(map, low, high) -> a profile with these bounds."""

    def made(neurons: NeuronMap, low: Sequence[float] | Tensor, high: Sequence[float] | Tensor) -> Profile:
        least, largest = (torch.as_tensor(bound, dtype=torch.float32) for bound in (low, high))
        return Profile("model", neurons, least, largest, inputs=9)

    return made
