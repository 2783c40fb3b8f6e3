from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.apgd import APGD, _checkpoints, _ratio
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
Targeted = Callable[[Scene, Tensor], Scene]


def plain(net: nn.Module, x: Tensor, label: Tensor, centre: Tensor, radius: float, steps: int) -> list[Tensor]:
    """Follow the paper's Algorithm 1 in linf for one input, one number after the other; return all points."""

    def slope(at: Tensor) -> tuple[float, Tensor]:
        at = at.clone().requires_grad_(True)
        # As many rows as the adapter pads a pass to, so that the same kernels run.
        losses = cross_entropy(net(at.expand(32, -1, -1, -1)), label.expand(32), reduction="none")
        (gradient,) = torch.autograd.grad(losses[0], at)
        return float(losses[0].detach()), gradient

    def projected(at: Tensor) -> Tensor:
        return at.clamp((centre - radius).clamp_min(0), (centre + radius).clamp_max(1))

    places = [0, 2, 4, 5, 6, 7, 8]  # of 8 steps, by hand: 0.22, 0.41, 0.57, 0.70, 0.80, 0.87 of them, rounded up
    length, path, rises, before = 2 * radius, [x], 0, 0
    value, gradient = slope(x)
    best, top, mark, halved, old = (x, gradient), value, value, False, x
    for step in range(1, steps):
        share = 0.75 if step > 1 else 1.0
        ahead = projected(x + length * gradient.sign())
        x, old = projected(x + share * (ahead - x) + (1 - share) * (x - old)), x
        path.append(x)
        last, (value, gradient) = value, slope(x)
        rises += value > last
        if value > top:
            best, top = (x, gradient), value
        if step in places:
            stalled = rises < 0.75 * (step - before) or (not halved and top == mark)
            if stalled:
                length, (x, gradient), value = length / 2, best, top
            halved, mark, rises, before = stalled, top, 0, step
    return path


def test_equals_the_papers_algorithm(scene: Scenes, proposals: Proposals, tiny_net: nn.Module) -> None:
    made, region = scene(range(12)), Linf(0.1)
    centre, labels = made[1].batch.inputs, made[1].expected
    start = region.samples(centre, made[2], 0, 1).squeeze(1)
    found = proposals(APGD(steps=8), made, region)
    assert len(found) == 8
    for row in range(12):
        path = plain(tiny_net, start[row : row + 1], labels[row : row + 1], centre[row : row + 1], 0.1, 8)
        for one, wanted in zip(found, path, strict=True):
            assert torch.allclose(one.inputs[row : row + 1], wanted, rtol=0, atol=1e-6)


def test_checkpoints_are_the_papers() -> None:
    # For 100 steps the paper's series is 0, 22, 41, 57, 70, 80, 87, 93, 99.
    assert _checkpoints(100) == {22: 22, 41: 19, 57: 16, 70: 13, 80: 10, 87: 7, 93: 6, 99: 6}
    assert _checkpoints(1) == {}


def test_the_ratio_by_hand() -> None:
    # Right class 1, target 2; sorted logits 5, 3, 2, 1: (2 - 5) / (5 - 1.5).
    seen = Observation(torch.tensor([[3.0, 5.0, 2.0, 1.0, -4.0]]))
    assert _ratio(seen, torch.tensor([[1, 2]])).tolist() == pytest.approx([-3 / 3.5])
    # It does not change if logits are scaled or shifted.
    moved = Observation(seen.logits * 7 + 2)
    assert _ratio(moved, torch.tensor([[1, 2]])).tolist() == pytest.approx([-3 / 3.5])


@pytest.mark.parametrize("region", [Linf(0.1), L2(0.7)], ids=["linf", "l2"])
def test_breaks_no_fewer_than_pgd_and_art(duel: Any, region: Linf | L2) -> None:
    broken = [int(duel.flipped(duel.ours(hunter, region)).sum()) for hunter in (APGD(steps=25), PGD(steps=25))]
    attack = duel.art.AutoProjectedGradientDescent(
        duel.classifier(),
        norm="inf" if isinstance(region, Linf) else 2,
        eps=region.radius,
        eps_step=2 * region.radius,
        max_iter=25,
        nb_random_init=1,
        batch_size=64,
        verbose=False,
    )
    assert broken[0] >= broken[1] - 1
    assert broken[1] > 20
    np.random.seed(0)  # noqa: NPY002 - where ART draws its starting points from; one or two hang on them
    assert broken[0] >= int(duel.flipped(duel.by_art(attack)).sum()) - 2 > 20


def test_the_ratio_turns_to_one_class_after_the_other(duel: Any) -> None:
    made = duel.scene()
    found = duel.proposals(APGD("dlr", steps=12, targets=3), made, Linf(0.2))
    assert len(found) == 36
    assert made[0].model.meter.spent.tolist() == [1 + 2 * 36] * 64
    rivals = made[1].clean.logits.scatter(1, duel.labels[:, None], -torch.inf).argsort(dim=1, descending=True)
    ends = [made[0].model.model.observe(found[12 * turn + 11].inputs).logits for turn in range(3)]
    leads = torch.stack([end.gather(1, rivals[:, :3]) - end.gather(1, duel.labels[:, None]) for end in ends])
    for turn in range(3):
        assert int((leads[:, :, turn].argmax(dim=0) == turn).sum()) > 40, "each leads farthest in its own turn"


def test_never_more_classes_than_there_are(scene: Scenes, proposals: Proposals) -> None:
    assert len(proposals(APGD("dlr", steps=3, targets=99), scene([0]), Linf(0.1))) == 9


@pytest.mark.parametrize("loss", ["ce", "dlr"])
def test_targets_are_reached(duel: Any, loss: str) -> None:
    target = (duel.labels + 3) % 10
    aimed = duel.flipped(duel.ours(APGD(loss, steps=20), Linf(0.3), target), target)
    anyhow = duel.flipped(duel.ours(APGD(loss, steps=20), Linf(0.3)), target)
    assert int(aimed.sum()) > 40 > int(anyhow.sum())


def test_the_ratio_needs_four_classes(scene: Scenes, proposals: Proposals) -> None:
    three = TorchModule(nn.Sequential(nn.Flatten(), nn.Linear(64, 3)), "three", outputs="logits")
    with pytest.raises(InvalidSetting, match=r"^apgd with loss dlr needs at least 4 classes, got 3$"):
        proposals(APGD("dlr"), scene([0], three), Linf(0.1))


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^apgd works in linf or l2, got l0$"):
        proposals(APGD(), scene([0]), L0(0.1))


def test_settings() -> None:
    assert (APGD().needs, APGD().width, APGD().step_cost(10)) == (Capability.GRADIENTS, 1, 2)
    assert (APGD().loss, APGD().steps, APGD().targets) == ("ce", 100, 9)
    with pytest.raises(InvalidSetting, match=r"^loss must be ce or dlr, got 'mse'$"):
        APGD("mse")
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 1, got 0$"):
        APGD(steps=0)
    with pytest.raises(InvalidSetting, match=r"^targets must be >= 1, got 0$"):
        APGD(targets=0)
