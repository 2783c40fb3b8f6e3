import torch

from unnerve.core.neurons import Layer, NeuronMap

MAP = NeuronMap((Layer("conv", 0, 3), Layer("pool", 3, 3), Layer("logits", 6, 2)), "*")


def test_counts_neurons() -> None:
    assert len(MAP) == 8


def test_columns() -> None:
    assert MAP.layers[1].columns == slice(3, 6)


def test_splits_the_last_axis() -> None:
    neurons = torch.arange(16.0).view(2, 8)
    parts = list(MAP.split(neurons))
    assert [layer.name for layer, _ in parts] == ["conv", "pool", "logits"]
    assert parts[1][1].tolist() == [[3, 4, 5], [11, 12, 13]]
    assert torch.equal(torch.cat([part for _, part in parts], dim=-1), neurons)


def test_splits_more_axes() -> None:
    assert next(MAP.split(torch.zeros(4, 2, 8)))[1].shape == (4, 2, 3)


def test_runs_of_layers_of_equal_size_are_blocks() -> None:
    neurons = torch.arange(32.0).view(2, 2, 8)
    (first, alike), (second, last) = MAP.blocks(neurons)
    assert (first, second) == (slice(0, 2), slice(2, 3))
    assert (alike.shape, last.shape) == ((2, 2, 2, 3), (2, 2, 1, 2))
    for place, (_, part) in enumerate(MAP.split(neurons)):
        assert torch.equal(torch.cat([alike.flatten(2), last.flatten(2)], dim=-1)[..., MAP.layers[place].columns], part)


def test_layers_of_equal_size_apart_are_blocks_of_their_own() -> None:
    layers = NeuronMap((Layer("a", 0, 1), Layer("b", 1, 2), Layer("c", 3, 1)), "*")
    assert [part.tolist() for _, part in layers.blocks(torch.arange(4))] == [[[0]], [[1, 2]], [[3]]]


def test_blocks_end_before_they_take_much_memory() -> None:
    layers = NeuronMap(tuple(Layer(str(place), 500 * place, 500) for place in range(7)), "*")
    neurons = torch.arange(3500.0).expand(1000, 3500)
    parts = list(layers.blocks(neurons))
    assert [part.shape for _, part in parts] == [(1000, 2, 500)] * 3 + [(1000, 1, 500)]
    assert [some for some, _ in parts] == [slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 7)]
    assert torch.equal(torch.cat([part.flatten(1) for _, part in parts], dim=1), neurons)


def test_hidden_neurons_are_numbered_anew() -> None:
    layers = (
        Layer("conv", 0, 3),
        Layer("aside", 3, 2, hidden=False),
        Layer("pool", 5, 3),
        Layer("logits", 8, 2, False),
    )
    hidden = NeuronMap(layers, "conv_dense").hidden
    assert hidden.layers == (Layer("conv", 0, 3), Layer("pool", 3, 3))
    assert (len(hidden), hidden.chosen_by) == (6, "conv_dense")
