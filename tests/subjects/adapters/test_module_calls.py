import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.memory import Greedy
from unnerve.core.errors import InvalidModel
from unnerve.core.model import Observation, Want
from unnerve.subjects.adapters.torch_module import TorchModule


def own_logit(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets.unsqueeze(1)).squeeze(1)


def snapshot(module: nn.Module) -> list[Tensor]:
    return [tensor.clone() for tensor in module.state_dict().values()]


def test_other_runtime_errors_are_the_models(small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match="raised RuntimeError"):
        TorchModule(Greedy(0, RuntimeError("size mismatch"))).observe(small_images)


def test_runs_in_eval_mode_and_gives_the_flags_back(small_images: Tensor) -> None:
    net = nn.Sequential(nn.BatchNorm2d(1), nn.Dropout(0.5), nn.Flatten(), nn.Linear(64, 3))
    net.train()
    net[1].eval()
    flags = [part.training for part in net.modules()]
    assert flags == [True, True, False, True, True]
    before, model = snapshot(net), TorchModule(net)
    first = model.observe(small_images).logits
    model.gradient(small_images, own_logit, torch.zeros(40, dtype=torch.int64), Want.NEURONS)
    model.neuron_map(small_images)
    assert [part.training for part in net.modules()] == flags
    assert all(torch.equal(old, new) for old, new in zip(before, snapshot(net), strict=True))
    net.eval()
    with torch.no_grad():
        assert torch.allclose(first, net(small_images), atol=1e-6)


def test_gives_the_flags_back_after_an_error(tiny_net: nn.Sequential) -> None:
    tiny_net.train()
    with pytest.raises(InvalidModel):
        TorchModule(tiny_net).observe(torch.zeros(1, 3, 5))
    assert all(part.training for part in tiny_net.modules())
