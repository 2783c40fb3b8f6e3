import math

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.mend.defences.distillation import Distillation


def test_the_loss_by_hand() -> None:
    # At temperature 2, logits 2 ln 3 and 0 are the probabilities 3/4 and 1/4.
    taught = torch.tensor([[2 * math.log(3), 0.0]])
    even = Distillation(2).loss(torch.zeros(1, 2), taught)
    assert float(even) == pytest.approx(4 * math.log(2), abs=1e-5)
    own = Distillation(2).loss(taught, taught)
    assert float(own) == pytest.approx(4 * (0.75 * math.log(4 / 3) + 0.25 * math.log(4)), abs=1e-5)


def test_without_a_temperature_it_learns_what_art_s_does() -> None:
    # ART's takes the answers of networks that end in a softmax, and has no temperature.
    art = pytest.importorskip("art.defences.transformer.evasion.defensive_distillation")
    estimators = pytest.importorskip("art.estimators.classification.pytorch")
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(6, 5, generator=generator)
    teacher, theirs, ours = (nn.Linear(5, 3) for _ in range(3))
    for layer, number in ((teacher, 1), (theirs, 2), (ours, 2)):
        fixed = torch.Generator().manual_seed(number)
        layer.load_state_dict({"weight": torch.randn(3, 5, generator=fixed), "bias": torch.randn(3, generator=fixed)})

    class Soft(nn.Module):
        def forward(self, probabilities: Tensor, wanted: Tensor) -> Tensor:
            return -(wanted * probabilities.log()).sum(dim=1).mean()

    known, learner = (
        estimators.PyTorchClassifier(
            nn.Sequential(layer, nn.Softmax(dim=1)),
            loss=Soft(),
            optimizer=torch.optim.SGD(layer.parameters(), 0.5),
            input_shape=(5,),
            nb_classes=3,
            device_type="cpu",
        )
        for layer in (teacher, theirs)
    )
    art.DefensiveDistillation(known, batch_size=6, nb_epochs=1)(x.numpy(), learner)
    optimiser = torch.optim.SGD(ours.parameters(), 0.5)
    Distillation(1).loss(ours(x), teacher(x).detach()).backward()
    optimiser.step()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^temperature must be > 0, got 0$"):
        Distillation(0)
    with pytest.raises(InvalidSetting, match=r"^epochs must be >= 1, got 0$"):
        Distillation(epochs=0)
