import torch

from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.resnet34 import resnet34


def test_has_the_size_that_the_paper_prints() -> None:
    with torch.device("meta"):
        state = resnet34().state_dict()
    assert sum(part.numel() for name, part in state.items() if not name.endswith("tracked")) == 21_315_166


def test_has_the_neurons_that_the_paper_prints() -> None:
    found = TorchModule(resnet34()).neuron_map(torch.full((2, 1600), 0.1))
    assert len(found.layers) == 158
    assert sum(layer.count for layer in found.layers) == 36_254


def test_waveforms_and_their_features_are_answered_alike() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        net = resnet34(width=2, bands=16, classes=3)
    x = 0.1 * torch.randn(2, 4000, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert net(x).shape == (2, 3)
        torch.testing.assert_close(net(x), net(net.get_submodule("front")(x)))
