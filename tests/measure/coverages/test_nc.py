from collections.abc import Callable

import numpy as np
import pytest
import torch
from dnn_tip import neuron_coverage as dnn_tip
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.measure.coverages.nc import NC
from unnerve.subjects.adapters.torch_module import TorchModule

Layers = Callable[..., NeuronMap]
Seen = Callable[..., Observation]


def test_values_are_scaled_by_the_range_of_their_layer(layers: Layers, seen: Seen) -> None:
    # Scaled by hand: (1 - 0) / (4 - 0) = 0.25 and (3 - 0) / 4 = 0.75; (-1 + 1) / 10 = 0 and (4 + 1) / 10 = 0.5.
    pass_ = seen([[1, 3, -1, 4]], [[[0, 4], [-1, 9]]])
    for threshold, covered in ((0.0, 3), (0.2, 3), (0.25, 2), (0.4999, 2), (0.5, 1), (0.75, 0)):
        state = NC(threshold).begin(layers(2, 2))
        state.update(pass_)
        assert state.covered == covered
        assert state.value == covered / 4


def test_a_layer_without_any_range_activates_nothing(layers: Layers, seen: Seen) -> None:
    state = NC(0.0).begin(layers(2))
    state.update(seen([[3, 3.0000002]], [[[3, 3]]]))  # a mean of equal numbers may be rounded
    assert state.value == 0


def test_as_deepxplore_scales_the_whole_feature_map(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    # The slow way: scale each layer's whole output per input, then take the mean over each channel.
    outputs, x = [], small_images
    with torch.no_grad():
        for layer in tiny_net:
            x = layer(x)
            outputs.append(x.double().numpy())
    covered, total = 0, 0
    for output in (outputs[0], outputs[1], outputs[2], outputs[4]):
        total += output.shape[1]
        active = np.zeros(output.shape[1], dtype=bool)
        for one in output:
            scaled = (one - one.min()) / (one.max() - one.min())
            active |= scaled.reshape(len(scaled), -1).mean(axis=1) > 0.45
        covered += int(active.sum())
    model = TorchModule(tiny_net)
    state = NC(0.45).begin(model.neuron_map(small_images))
    for start in range(0, 40, 8):
        state.update(model.observe(small_images[start : start + 8], NC.wants))
    assert (state.covered, state.total) == (covered, total)
    assert 0 < covered < total


def test_agrees_with_dnn_tip_on_values_that_are_scaled_already(layers: Layers, seen: Seen) -> None:
    values = torch.from_numpy(np.random.default_rng(3).random((6, 9), dtype=np.float32))
    state = NC(0.9).begin(layers(4, 5))
    state.update(seen(values, [[[0, 1], [0, 1]]] * 6))
    _, profiles = dnn_tip.NAC(0.9)([values.numpy()])
    assert state.covered == profiles.any(axis=0).sum()
    assert 0 < state.covered < 9


def test_asks_for_ranges_and_no_profile() -> None:
    assert NC().wants == Want.RANGES
    assert not NC().profiled


@pytest.mark.parametrize("threshold", [-0.1, 1.0, float("nan")])
def test_refuses_a_threshold_outside(threshold: float) -> None:
    with pytest.raises(InvalidSetting, match=r"threshold must be in \[0, 1\), got"):
        NC(threshold)
