from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.fgsm import FGSM
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
Targeted = Callable[[Scene, Tensor], Scene]


@pytest.fixture
def linear() -> TorchModule:
    """Return the model (3 s, -4 s), where s is the sum of the first two pixels minus that of the next two."""
    dense = nn.Linear(64, 2, bias=False)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[:, :4] = torch.tensor([[3.0], [-4.0]]) * torch.tensor([1.0, 1.0, -1.0, -1.0])
    return TorchModule(nn.Sequential(nn.Flatten(), dense), "linear", outputs="logits")


def test_by_hand_in_linf(scene: Scenes, proposals: Proposals, linear: TorchModule) -> None:
    # Labels 0 and 1. The loss of class 0 falls with s, that of class 1 rises with it.
    made = scene([0, 1], linear)
    (found,) = proposals(FGSM(), made, Linf(0.25, low=-9, high=9))
    change = (found.inputs - made[1].batch.inputs).flatten(1)
    assert change[:, :4].tolist() == [
        pytest.approx([-0.25, -0.25, 0.25, 0.25]),
        pytest.approx([0.25] * 2 + [-0.25] * 2),
    ]
    assert float(change[:, 4:].abs().amax()) == 0


def test_by_hand_in_l2(scene: Scenes, proposals: Proposals, linear: TorchModule) -> None:
    # Along the gradient, which has four equal parts: each is half of the length.
    made = scene([0, 1], linear)
    (found,) = proposals(FGSM(), made, L2(0.5, low=-9, high=9))
    change = (found.inputs - made[1].batch.inputs).flatten(1)[:, :4]
    assert change.tolist() == [pytest.approx([-0.25, -0.25, 0.25, 0.25]), pytest.approx([0.25] * 2 + [-0.25] * 2)]


def test_several_lengths_lie_on_one_line(scene: Scenes, proposals: Proposals, linear: TorchModule) -> None:
    made = scene([0, 1], linear)
    tried = proposals(FGSM(lengths=4), made, Linf(0.2, low=-9, high=9))
    centre, ends = made[1].batch.inputs, tried[-1].inputs
    assert torch.equal(ends, proposals(FGSM(), scene([0, 1], linear), Linf(0.2, low=-9, high=9))[0].inputs)
    for place, one in enumerate(tried, start=1):
        assert torch.allclose(one.inputs - centre, (ends - centre) * place / 4, rtol=0, atol=1e-6)
    assert made[0].model.meter.spent.tolist() == [1 + 2 + 3] * 2, "clean, gradient, and a look at each further one"
    with pytest.raises(InvalidSetting, match=r"^lengths must be >= 1, got 0$"):
        FGSM(lengths=0)


def test_a_target_is_approached(scene: Scenes, proposals: Proposals, linear: TorchModule, targeted: Targeted) -> None:
    away = proposals(FGSM(), scene([0, 1], linear), Linf(0.2))[0].inputs
    towards = proposals(FGSM(), targeted(scene([0, 1], linear), torch.tensor([1, 0])), Linf(0.2))[0].inputs
    back = proposals(FGSM(), targeted(scene([0, 1], linear), torch.tensor([0, 1])), Linf(0.2))[0].inputs
    assert torch.equal(away, towards), "there are two classes: away from one is towards the other"
    assert not torch.equal(away, back)


def test_the_same_step_as_foolbox_and_art(duel: Any) -> None:
    ours = duel.ours(FGSM(), Linf(0.1))
    theirs = duel.by_foolbox(duel.foolbox.LinfFastGradientAttack(random_start=False), 0.1)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-6)
    art = duel.by_art(duel.art.FastGradientMethod(duel.classifier(), eps=0.1))
    assert torch.allclose(ours, art, rtol=0, atol=1e-6)
    assert bool(duel.flipped(ours).any())


def test_the_same_targeted_step_as_art(duel: Any) -> None:
    target = (duel.labels + 1) % 10
    ours = duel.ours(FGSM(), Linf(0.1), target)
    art = duel.by_art(duel.art.FastGradientMethod(duel.classifier(), eps=0.1, targeted=True), target)
    assert torch.allclose(ours, art, rtol=0, atol=1e-6)


def test_a_target_that_is_no_class_is_refused(scene: Scenes, proposals: Proposals, targeted: Targeted) -> None:
    for wrong in (4, -1):
        with pytest.raises(InvalidSetting, match=rf"^target must be in \[0, 3\], got {wrong}$"):
            proposals(FGSM(), targeted(scene([0, 1]), torch.tensor([2, wrong])), Linf(0.1))


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^fgsm works in linf or l2, got l0$"):
        proposals(FGSM(), scene([0]), L0(0.1))


def test_costs_one_gradient(scene: Scenes, proposals: Proposals) -> None:
    made = scene([0, 1, 2])
    assert len(proposals(FGSM(), made, Linf(0.1))) == 1
    assert made[0].model.meter.spent.tolist() == [3, 3, 3]
    assert (FGSM().needs, FGSM().width, FGSM().step_cost(10)) == (Capability.GRADIENTS, 1, 2)
