import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.zoo.deep_speaker import deep_speaker


def small() -> torch.nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return deep_speaker(width=4, blocks=1, embedding=8, bands=16, classes=3)


def test_has_the_size_that_the_paper_prints() -> None:
    with torch.device("meta"):
        state = deep_speaker().state_dict()
    assert sum(part.numel() for name, part in state.items() if not name.endswith("tracked")) == 24_201_118


def test_has_the_neurons_that_the_paper_prints() -> None:
    found = TorchModule(deep_speaker()).neuron_map(torch.full((2, 1600), 0.1))
    assert len(found.layers) == 101
    assert sum(layer.count for layer in found.layers) == 28_190


def test_waveforms_and_their_features_are_answered_alike() -> None:
    net = small()
    x = 0.1 * torch.randn(2, 4000, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        features = net.get_submodule("front")(x)
        torch.testing.assert_close(net(x), net(features))


def test_the_answer_does_not_depend_on_how_much_padding_there_is() -> None:
    net = small()
    x = 0.1 * torch.randn(1, 8000, generator=torch.Generator().manual_seed(0))
    shorter, longer = (torch.nn.functional.pad(x, (0, more)) for more in (8_000, 24_000))
    with torch.no_grad():
        torch.testing.assert_close(net(shorter), net(longer), atol=1e-5, rtol=1e-4)
        maps = [
            net.get_submodule("reshape")(net.get_submodule("stages")(features(net, one))) for one in (shorter, longer)
        ]
        assert float((maps[0].mean(dim=1) - maps[1].mean(dim=1)).abs().max()) > 1e-3  # plain means do depend on it


def features(net: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = net.get_submodule("front")(x)
    return found


def test_silence_alone_is_answered() -> None:
    with torch.no_grad():
        assert bool(small()(torch.zeros(2, 1600)).isfinite().all())


def test_refuses_bands_that_four_halvings_do_not_divide() -> None:
    with pytest.raises(InvalidSetting, match="bands must be a multiple of 16, got 40"):
        deep_speaker(bands=40)
