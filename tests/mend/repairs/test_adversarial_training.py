"""Adversarial training: half a batch is attacked, against the weights as they are at that moment."""

import pytest
import torch
from torch import nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.generate.regions.linf import Linf
from unnerve.mend.repairs._repair import RepairContext
from unnerve.mend.repairs.adversarial_training import AdversarialTraining
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.fixture
def linear() -> TorchModule:
    """Return a network of two inputs whose first class grows with the first and falls with the second."""
    module = nn.Linear(2, 2, bias=False)
    module.weight.data = torch.tensor([[1.0, -1.0], [0.0, 0.0]])
    return TorchModule(module, outputs="logits")


def test_each_input_has_an_attacked_copy_by_hand(linear: TorchModule) -> None:
    batch = Batch(torch.tensor([[0.5, 0.5], [0.2, 0.9]]), torch.tensor([0, 1]), ("a", "b"))
    made = AdversarialTraining(steps=4).batch(batch, 0, RepairContext(linear, Linf(0.1), 0))
    assert torch.equal(made.inputs[:2], batch.inputs)
    # The loss of class 0 rises as the first value falls and the second grows; of class 1 the other way round.
    assert torch.allclose(made.inputs[2:], torch.tensor([[0.4, 0.6], [0.3, 0.8]]), atol=1e-6)
    assert made.labels is not None
    assert made.labels.tolist() == [0, 1, 0, 1]
    assert len(set(made.ids)) == 4


def test_follows_the_weights(linear: TorchModule) -> None:
    batch = Batch(torch.tensor([[0.5, 0.5]]), torch.tensor([0]), ("a",))
    repair, context = AdversarialTraining(steps=4), RepairContext(linear, Linf(0.1), 0)
    repair.batch(batch, 0, context)
    next(linear.module.parameters()).data.neg_()
    assert torch.allclose(repair.batch(batch, 1, context).inputs[1], torch.tensor([0.6, 0.4]), atol=1e-6)


def test_half_a_batch_is_read() -> None:
    assert AdversarialTraining(batch_size=32).recipe(0).batch == 16
    with pytest.raises(InvalidSetting, match="steps must be >= 1, got 0"):
        AdversarialTraining(steps=0)
