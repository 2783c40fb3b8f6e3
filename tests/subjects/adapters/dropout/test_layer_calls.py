import torch
from torch import Tensor, nn

from unnerve.subjects.adapters.dropout._layer_calls import LayerCall, layer_calls
from unnerve.subjects.adapters.normalised import Normalised


def seen(net: nn.Module, x: Tensor) -> list[LayerCall]:
    with torch.no_grad():
        return layer_calls(net, lambda: net(x))


def test_layers_in_the_order_in_which_they_begin(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    found = seen(nn.Sequential(tiny_net[:3], tiny_net[3:]), small_images)
    assert [call.layer for call in found] == ["0", "0.0", "0.1", "0.2", "1", "1.3", "1.4"]
    assert [call.is_leaf for call in found] == [False, True, True, True, False, True, True]
    assert [call.layer for call in found if call.has_weights] == ["0.0", "1.4"]
    assert [call.layer for call in found if call.is_pooling] == ["0.2"]
    ends = sorted(found, key=lambda call: call.ended)
    assert [call.layer for call in ends] == ["0.0", "0.1", "0.2", "0", "1.3", "1.4", "1"]


def test_sizes_of_maps(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    assert [(call.input_size, call.output_size) for call in seen(tiny_net, small_images)] == [
        (64, 64),
        (64, 64),
        (64, 16),
        (16, 0),
        (0, 0),
    ]
    steps = nn.Sequential(nn.Conv1d(2, 3, 3), nn.Tanh())
    assert [call.output_size for call in seen(steps, torch.zeros(2, 2, 9))] == [7, None]


def test_a_layer_called_again_is_another_call() -> None:
    relu = nn.ReLU()
    found = seen(nn.Sequential(relu, nn.Linear(4, 4), relu), torch.zeros(2, 4))
    assert [(call.layer, call.call) for call in found] == [("0", 1), ("1", 1), ("0", 2)]


def test_what_prepares_the_input_has_no_name(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    found = seen(Normalised(tiny_net, [0.5], [0.5]), small_images)
    assert [call.layer for call in found] == ["0", "1", "2", "3", "4"]


def test_no_hooks_stay_behind(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    seen(tiny_net, small_images)
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in tiny_net.modules())
