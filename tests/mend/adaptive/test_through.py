"""Gradients through transforms: exact where they are smooth, around them where not, averaged where they draw."""

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Observation
from unnerve.core.wrappers.transformed import Transformed
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.generate.transforms.crop_rescale import CropRescale
from unnerve.generate.transforms.total_variation import TotalVariation
from unnerve.mend.adaptive.through import Through
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.testing.scene import small_images, tiny_model, tiny_net


def first(seen: Observation, _: Tensor) -> Tensor:
    return seen.logits[:, 0]


def test_a_smooth_transform_is_differentiated() -> None:
    x, net, transform = small_images()[:3].requires_grad_(True), tiny_net(), TotalVariation(0.1, 5)
    (expected,) = torch.autograd.grad(net(transform(x))[:, 0].sum(), x)
    behind = Through(Transformed(tiny_model(), transform, "total_variation"))
    _, found, _ = behind.gradient(x.detach(), first, torch.zeros(3))
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-3)


def test_any_other_is_taken_for_the_identity() -> None:
    x, model = small_images()[:3], tiny_model()
    behind = Through(Transformed(model, BitDepth(2), "bit_depth:2"))
    _, found, _ = behind.gradient(x, first, torch.zeros(3))
    assert found.equal(model.gradient(BitDepth(2)(x), first, torch.zeros(3))[1])


def test_draws_are_averaged_and_are_not_the_one_that_answers() -> None:
    x, behind = small_images()[:3], Transformed(tiny_model(), CropRescale(0.6), "crop_rescale:0.6")
    one, two, both = (Through(behind, draws).gradient(x, first, torch.zeros(3))[1] for draws in (1, 2, 3))
    assert not one.equal(two)
    assert not two.equal(both)
    assert Through(behind).observe(x).logits.equal(behind.observe(x).logits)


def test_refuses_a_black_box() -> None:
    box = BlackBox(lambda rows: torch.full((len(rows), 2), 0.5).numpy(), "box")
    with pytest.raises(InvalidModel, match=r"^attacks that know bit_depth need gradients, which box does not offer$"):
        Through(Transformed(box, BitDepth(), "bit_depth"))
