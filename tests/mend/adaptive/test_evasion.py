"""Attacks that know the defence: they find wrong answers, and get past detectors that see plain attacks."""

import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.subject import Subject
from unnerve.core.wrappers.transformed import Transformed
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.snr import SNR
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.mend.adaptive.evasion import Evasion
from unnerve.mend.adaptive.through import Through
from unnerve.mend.defences.activation_classifier import ActivationClassifier
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_images, tiny_model


def test_an_undefended_model_breaks() -> None:
    model, x = tiny_model(), small_images()[:8]
    broken = Evasion(20).broken(model, x, model.observe(x).predicted, Linf(0.3))
    assert int(broken.sum()) >= 7
    assert not Evasion(20).broken(model, x, model.observe(x).predicted, Linf(1e-6)).any()


@pytest.mark.parametrize("steps", [2, 6, 15, 60])
def test_few_steps_reach_the_edge_too(steps: int) -> None:
    layer = nn.Linear(1, 2, bias=True)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.0], [1.0]]))
        layer.bias.copy_(torch.tensor([0.0, -0.5]))
    model = TorchModule(nn.Sequential(nn.Flatten(), layer), "above a half", "logits")
    # The answer changes at 0.5: from 0.405 that takes 0.95 of the radius, from 0.395 more than all of it.
    x = torch.tensor([0.405, 0.395]).view(2, 1, 1, 1)
    assert Evasion(steps).broken(model, x, torch.tensor([0, 0]), Linf(0.1)).tolist() == [True, False]


def test_where_the_size_follows_the_seed_steps_do_as_well() -> None:
    model, x = tiny_model(), small_images()[:8]
    labels = model.observe(x).predicted
    region = SNR(10)
    # It lies inside each one's own ball, so it breaks no more of them.
    smallest = L2(region.reach * float(region.scale(x).min()))
    own, within = (Evasion(20).broken(model, x, labels, space) for space in (region, smallest))
    assert int(own.sum()) >= int(within.sum()) > 0


def test_a_transform_is_seen_through() -> None:
    behind, x = Transformed(tiny_model(), BitDepth(2), "bit_depth:2"), small_images()[:8]
    broken = Evasion(20).broken(Through(behind), x, behind.observe(x).predicted, Linf(0.3))
    assert int(broken.sum()) >= 6


def test_who_knows_the_detector_gets_past_it_more_often() -> None:
    model, x = tiny_model(), small_images()
    labels = model.observe(x).predicted
    detector = ActivationClassifier(radius=0.3).calibrated(Subject(model), tensors(x, labels, name="small"))

    class Blind:
        """The same detector, whose gradient is not known."""

        needs = detector.needs
        suspicion = detector.suspicion

    knowing = Evasion(20).broken(model, x, labels, Linf(0.15), detector)
    blind = Evasion(20).broken(model, x, labels, Linf(0.15), Blind())  # type: ignore[arg-type]
    # Of 40: it was 28 beside 12.
    assert int(knowing.sum()) > int(blind.sum()) + 8


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 2, got 1$"):
        Evasion(1)
    assert torch.is_tensor(Evasion(2).broken(tiny_model(), small_images()[:1], torch.tensor([0]), Linf(0.1)))
