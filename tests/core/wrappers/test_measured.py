import torch
from torch import Tensor, nn

from unnerve.core.data.features import Feature, Features
from unnerve.core.masks import Masks
from unnerve.core.model import Observation
from unnerve.core.wrappers.measured import Measured
from unnerve.generate.regions.spread import Spread
from unnerve.subjects.adapters.torch_module import TorchModule

FEATURES = Features((Feature("age", "whole", 20, 80, 10), Feature("income", "real", 1000, 5000, 500)))
ROWS = torch.tensor([[50.0, 1100.0], [20.0, 5000.0], [33.0, 2500.0]])


def differences(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets) - seen.logits.gather(1, 1 - targets)


def test_answers_and_gradients_are_those_of_the_data_in_other_units() -> None:
    torch.manual_seed(0)
    model = TorchModule(nn.Sequential(nn.Linear(2, 8), nn.ELU(), nn.Linear(8, 2)), outputs="logits")
    units = Spread(0.5, FEATURES)
    measured, scaled = Measured(model, units), units.measured(ROWS)
    assert torch.allclose(measured.observe(scaled).logits, model.observe(ROWS).logits, atol=1e-5)
    targets = torch.tensor([[0], [1], [0]])
    values, gradient, _ = measured.gradient(scaled, differences, targets)
    plain_values, plain, _ = model.gradient(ROWS, differences, targets)
    assert torch.allclose(values, plain_values, atol=1e-5)
    assert torch.allclose(gradient, plain * torch.tensor([10.0, 500.0]), rtol=1e-3, atol=1e-6)
    assert gradient.abs().amax() > 0.1
    assert (measured.name, measured.offers) == (model.name, model.offers)


def first_differences(seen: Observation, targets: Tensor) -> Tensor:
    return differences(seen, targets).squeeze(1)


def test_gradients_under_dropout_are_those_of_the_data_in_other_units() -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(2, 8), nn.ELU(), nn.Dropout(0.5), nn.Linear(8, 2))
    model, units = TorchModule(network, outputs="logits"), Spread(0.5, FEATURES)
    targets, masks = torch.tensor([[0], [1], [0]]), Masks(0, ("a", "b", "c"), 1)
    _, gradient, _ = Measured(model, units).drawn_gradient(units.measured(ROWS), masks, first_differences, targets)
    _, plain, _ = model.drawn_gradient(ROWS, masks, first_differences, targets)
    assert torch.allclose(gradient, plain * torch.tensor([10.0, 500.0]), rtol=1e-3, atol=1e-6)
    assert gradient.abs().amax() > 0.1
