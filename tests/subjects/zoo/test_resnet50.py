import torch

from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.resnet50 import resnet50


def test_has_the_papers_parameters_and_neurons() -> None:
    net, x = resnet50(), torch.rand(2, 3, 40, 40)
    assert sum(parameter.numel() for parameter in net.parameters()) == 25_583_592
    subject = TorchModule(net)
    found = subject.neuron_map(x)
    # 176 layers, of which Flatten has no neurons.
    assert (len(found), len(found.layers), found.chosen_by) == (94_059, 175, "deepxplore")
    assert [layer.count for layer in found.layers[:5]] == [3, 64, 64, 64, 64]
    assert found.layers[-1].name == "linear+softmax"
    assert len(found.hidden) == 93_059
    assert sum(layer.name.endswith(".add") for layer in found.layers) == 16
    seen = subject.observe(x, Want.NEURONS)
    assert torch.allclose(seen.neurons[:, -1000:], seen.probabilities.float(), rtol=1e-6, atol=1e-12)


def test_the_sides_of_the_maps_are_those_of_keras() -> None:
    net = resnet50(classes=7)
    sides: list[int] = []
    for name in ("conv1", "pool1", "layers.0", "layers.1", "layers.2", "layers.3"):
        net.get_submodule(name).register_forward_hook(lambda _module, _inputs, out: sides.append(out.shape[-1]))
    with torch.no_grad():
        assert net.eval()(torch.rand(1, 3, 224, 224)).shape == (1, 7)
    assert sides == [112, 55, 55, 28, 14, 7]
