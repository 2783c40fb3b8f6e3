import torch

from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.nin import nin

X = torch.rand(2, 3, 32, 32)


def test_has_the_papers_neurons() -> None:
    subject = TorchModule(nin(), outputs="logits")
    found = subject.neuron_map(X)
    assert [layer.count for layer in found.layers] == [192, 160, 96, 192, 192, 192, 192, 192, 10]
    assert (len(found), found.chosen_by) == (1_418, "conv_dense")
    assert len(found.hidden) == 1_408
    assert subject.observe(X, Want.NEURONS).neurons.shape == (2, 1_418)


def test_parameters_by_hand() -> None:
    assert (
        sum(parameter.numel() for parameter in nin().parameters())
        == (75 + 1) * 192
        + (192 + 1) * 160
        + (160 + 1) * 96
        + (25 * 96 + 1) * 192
        + 2 * (192 + 1) * 192
        + (9 * 192 + 1) * 192
        + (192 + 1) * 192
        + (192 + 1) * 10
        == 966_986
    )


def test_the_answer_is_the_mean_of_the_last_maps() -> None:
    net = nin().eval()
    seen = TorchModule(net, outputs="logits", neurons="conv9").observe(X, Want.NEURONS)
    assert torch.allclose(seen.neurons, seen.logits, atol=1e-6)


def test_pools_halve_as_keras_does() -> None:
    net = nin()
    assert net.get_submodule("pool1")(torch.rand(1, 1, 32, 32)).shape == (1, 1, 16, 16)
    ramp = torch.arange(16.0).view(1, 1, 4, 4)
    assert net.get_submodule("pool1")(ramp).tolist() == [[[[10, 11], [14, 15]]]]


def test_takes_other_images() -> None:
    assert nin(1, 7)(torch.rand(2, 1, 28, 28)).shape == (2, 7)
