import pytest
import torch
from torch import nn

from unnerve.subjects.adapters.neurons._axes import Axes, Shape, batch_axis, neuron_axis
from unnerve.subjects.adapters.neurons._tiles import is_tiled

FIRST, LAST = True, False


@pytest.mark.parametrize(
    ("layer", "shape", "axis"),
    [
        (nn.Conv2d(3, 5, 1), (2, 5, 7, 9), 1),
        (nn.Conv1d(3, 5, 1), (2, 5, 7), 1),
        (nn.Conv3d(3, 5, 1), (2, 5, 7, 9, 11), 1),
        (nn.BatchNorm1d(5), (2, 5, 7), 1),
        (nn.GroupNorm(1, 5), (2, 5, 7), 1),
        (nn.MaxPool1d(2), (2, 5, 7), 1),
        (nn.ZeroPad2d(1), (2, 5, 7, 9), 1),
        (nn.Linear(3, 9), (2, 9), 1),
        (nn.Linear(3, 9), (2, 7, 9), 2),
        (nn.Linear(3, 9), (2, 5, 7, 9), 3),
        (nn.LayerNorm(9), (2, 7, 9), 2),
        (nn.LSTM(3, 9), (2, 7, 9), 2),
        (nn.MultiheadAttention(8, 2), (2, 7, 8), 2),
        (nn.ReLU(), (2, 9), 1),
        (nn.ReLU(), (2, 5, 7, 9), 1),
        (nn.ReLU(), (2, 7, 9), 2),
    ],
)
def test_the_neurons_of_each_kind_of_layer(layer: nn.Module, shape: Shape, axis: int) -> None:
    assert neuron_axis(layer, shape, 0, [])[0] == axis


@pytest.mark.parametrize(
    ("earlier", "axis"),
    [
        ([((2, 5, 7), FIRST)], 1),
        ([((2, 5, 7), LAST)], 2),
        ([((2, 5, 7), FIRST), ((2, 7, 5), LAST)], 1),
        ([((2, 5, 7), LAST), ((2, 5, 7), FIRST)], 1),
        ([((2, 4, 4), FIRST)], 1),
        ([((2, 5, 4, 4), FIRST)], 2),
    ],
    ids=["Conv1d", "Linear", "another shape between", "the last counts", "as many axes", "nothing alike"],
)
def test_an_activation_follows_the_layer_before_it(earlier: list[tuple[Shape, bool]], axis: int) -> None:
    assert neuron_axis(nn.GELU(), (2, 5, 7), 0, earlier)[0] == axis


def test_inputs_on_another_axis() -> None:
    assert neuron_axis(nn.Linear(3, 9), (7, 2, 9), 1, [])[0] == 2
    assert neuron_axis(nn.Linear(3, 9), (9, 2), 1, [])[0] == 0
    assert batch_axis(torch.rand(7, 2, 9), torch.rand(7, 3, 9)) == (1, 1)
    assert batch_axis(torch.rand(2, 9), torch.rand(3, 9)) == (0, 1)


def test_outputs_that_do_not_grow_with_the_inputs_have_no_neurons() -> None:
    assert batch_axis(torch.rand(1, 7, 9), torch.rand(1, 7, 9)) is None
    assert batch_axis(torch.rand(2, 2), torch.rand(3, 3)) is None
    assert batch_axis(torch.rand(2), torch.rand(3)) is None
    assert batch_axis(torch.rand(4, 9), torch.rand(5, 9)) is None
    assert batch_axis(torch.rand(3, 9), torch.rand(4, 9)) is None


def test_windows_belong_to_their_input_only_if_they_stand_together() -> None:
    windows = torch.rand(3, 4, 9)  # three inputs, four windows each
    assert batch_axis(windows[:2].flatten(0, 1), windows.flatten(0, 1)) == (0, 4)
    scattered = windows.transpose(0, 1)
    assert batch_axis(scattered[:, :2].flatten(0, 1), scattered.flatten(0, 1)) is None


@pytest.mark.parametrize(
    ("axes", "shape"),
    [
        (Axes(0, 1), (3, 4)),
        (Axes(0, 1), (3, 4, 5)),
        (Axes(0, 1), (3, 4, 5, 6)),
        (Axes(0, 2), (3, 5, 4)),
        (Axes(0, 3), (3, 5, 6, 4)),
        (Axes(1, 2), (5, 3, 4)),
        (Axes(1, 0), (4, 3)),
        (Axes(2, 1), (5, 4, 3)),
        (Axes(0, 1, fold=2), (6, 4, 5)),
        (Axes(0, 2, fold=2), (6, 5, 4)),
    ],
)
def test_reading_and_scaling(axes: Axes, shape: Shape) -> None:
    output, factors = torch.rand(shape) - 0.5, torch.rand(3, 4)
    plain = output.movedim((axes.batch, axes.neurons), (0, 1)).flatten(2) if output.ndim > 2 else output
    plain = plain.T.unsqueeze(2) if (axes.batch, output.ndim) == (1, 2) else plain.reshape(*plain.shape[:2], -1)
    plain = plain.unflatten(0, (3, -1)).transpose(1, 2).flatten(2)  # (N, U, everything else)
    assert torch.allclose(axes.means(output), plain.mean(dim=2), atol=1e-6)
    low, high = axes.extents(output)
    assert torch.equal(low[:, 0], plain.amin(dim=(1, 2)))
    assert torch.equal(high[:, 0], plain.amax(dim=(1, 2)))
    scaled = axes.scaled(output, factors)
    assert scaled.shape == output.shape
    assert torch.allclose(axes.means(scaled), axes.means(output) * factors, atol=1e-6)
    assert torch.equal(axes.scaled(output, torch.ones(3, 4)), output)


def test_values_are_a_copy() -> None:
    output = torch.ones(2, 3)
    values = Axes(0, 1).means(output)
    output.zero_()
    assert bool((values == 1).all())


@pytest.mark.parametrize(
    ("channels", "size", "quick"), [(64, 3, True), (16, 3, True), (24, 7, True), (3, 9, True), (3, 5, False)]
)
def test_bounds_of_each_neuron_where_they_are_quick(channels: int, size: int, quick: bool) -> None:
    output = torch.randn(5, channels, size, size)
    assert Axes(0, 1).bounds(output) is None  # channels-last format only
    found = Axes(0, 1).bounds(output.contiguous(memory_format=torch.channels_last))
    assert (found is not None) == quick
    if found is not None:
        assert torch.equal(found[0], output.amin(dim=(2, 3)))
        assert torch.equal(found[1], output.amax(dim=(2, 3)))


def test_tokens_have_no_quick_bounds() -> None:
    assert Axes(0, 2).bounds(torch.rand(5, 4, 32)) is None
    assert Axes(0, 1, fold=2).bounds(torch.rand(6, 32, 4, 4).contiguous(memory_format=torch.channels_last)) is None


@pytest.mark.parametrize(("channels", "size"), [(96, 40), (24, 90), (144, 33), (40, 61)])
def test_large_maps_are_read_piece_by_piece(channels: int, size: int) -> None:
    generator = torch.Generator().manual_seed(0)
    output = torch.randn(3, channels, size, size, generator=generator).contiguous(memory_format=torch.channels_last)
    axes = Axes(0, 1)
    means, bounds = axes.means_and_bounds(output)
    assert is_tiled(output)
    assert torch.allclose(means, output.double().mean(dim=(2, 3)).float(), atol=1e-6)
    assert torch.equal(means, axes.means(output)), "a profile and what is compared with it must agree to the last bit"
    assert torch.equal(means[1:2], axes.means(output[1:2])), "an input's means do not depend on the others"
    assert bounds is not None
    assert torch.equal(bounds[0], output.amin(dim=(2, 3)))
    assert torch.equal(bounds[1], output.amax(dim=(2, 3)))


def test_sums_in_half_precision_do_not_run_over() -> None:
    output = torch.full((1, 64, 112, 112), 8.0, dtype=torch.float16).contiguous(memory_format=torch.channels_last)
    means, _ = Axes(0, 1).means_and_bounds(output)
    assert torch.equal(means, torch.full((1, 64), 8.0, dtype=torch.float16))
