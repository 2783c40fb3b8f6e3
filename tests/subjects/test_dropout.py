import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.model import Capability
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.dropout import with_dropout


def test_the_same_model_with_draws(tiny_model: TorchModule, small_images: Tensor) -> None:
    before = tiny_model.observe(small_images)
    dropping = with_dropout(tiny_model, 0.5)
    assert Capability.DROPOUT in dropping.offers
    assert Capability.DROPOUT not in tiny_model.offers
    assert dropping.module is tiny_model.module
    assert dropping.name == tiny_model.name
    assert torch.equal(dropping.observe(small_images).logits, before.logits)
    draws = dropping.samples(small_images, Masks(0, tuple(map(str, range(40))), draws=30))
    assert bool((draws.argmax(dim=2) != before.predicted).any())


def test_a_higher_rate_contradicts_the_model_more_often(tiny_model: TorchModule, small_images: Tensor) -> None:
    predicted, masks = tiny_model.observe(small_images).predicted, Masks(0, tuple(map(str, range(40))), draws=30)
    shares = [
        (with_dropout(tiny_model, rate).samples(small_images, masks).argmax(dim=2) != predicted).float().mean()
        for rate in (0.001, 0.1, 0.3, 0.6, 0.9)
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.02
    assert shares[-1] > 0.2


def test_at_places_of_ones_own(tiny_model: TorchModule, small_images: Tensor) -> None:
    masks = Masks(0, tuple(map(str, range(40))), draws=2)
    one = with_dropout(tiny_model, 0.5, ["before:4"]).samples(small_images, masks)
    assert torch.equal(one, with_dropout(tiny_model, 0.5).samples(small_images, masks))
    assert not torch.equal(one, with_dropout(tiny_model, 0.5, ["1"]).samples(small_images, masks))


def test_refuses_what_cannot_be(tiny_model: TorchModule) -> None:
    with pytest.raises(InvalidSetting, match=r"the dropout rate must be in \(0, 1\), got 1\.5"):
        with_dropout(tiny_model, 1.5)
    box = BlackBox(lambda x: np.full((len(x), 2), 0.5), "box")
    with pytest.raises(InvalidModel, match=r"dropout can only be given to an nn\.Module, and box is none"):
        with_dropout(box, 0.5)
