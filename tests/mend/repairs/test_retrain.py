"""Retraining: what it asks for, and that batches stay as they are."""

import pytest
import torch

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.catalogue import build
from unnerve.generate.regions.linf import Linf
from unnerve.mend.repairs._repair import RepairContext
from unnerve.mend.repairs.retrain import Retrain
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.training.recipes import Recipe


def test_defaults_are_the_papers() -> None:
    retrain = Retrain()
    assert (retrain.findings, retrain.benign) == (500, 500)
    assert retrain.recipe(3) == Recipe(epochs=20, batch=32, rate=0.0003, seed=3)


def test_is_found_by_name() -> None:
    assert build("repair", "retrain:epochs=2,rate=0.01") == Retrain(epochs=2, rate=0.01)


def test_a_batch_stays_as_it_is(tiny_model: TorchModule) -> None:
    batch = Batch(torch.zeros(2, 1, 8, 8), torch.tensor([0, 1]), ("a", "b"))
    assert Retrain().batch(batch, 0, RepairContext(tiny_model, Linf(0.1), 0)) is batch


@pytest.mark.parametrize(("setting", "message"), [("findings", "findings"), ("benign", "benign"), ("epochs", "epochs")])
def test_refuses_nothing_to_train_on(setting: str, message: str) -> None:
    with pytest.raises(InvalidSetting, match=f"{message} must be >= 1, got 0"):
        Retrain(**{setting: 0})
