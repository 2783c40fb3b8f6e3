from collections.abc import Callable
from typing import Any

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.bim import BIM
from unnerve.generate.attacks.fgsm import FGSM
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.snr import SNR

Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
Proposals = Callable[..., list[Candidates]]


@pytest.mark.parametrize("region", [Linf(0.1), L2(0.5)], ids=["linf", "l2"])
def test_equals_gradient_descent_from_the_seed(scene: Scenes, proposals: Proposals, region: Linf | L2) -> None:
    ours = proposals(BIM(steps=4, step=0.03), scene(range(5)), region)
    theirs = proposals(PGD(steps=4, step=0.03, random_start=False), scene(range(5)), region)
    assert len(ours) == 4
    assert all(torch.equal(one.inputs, other.inputs) for one, other in zip(ours, theirs, strict=True))


def test_one_step_of_the_whole_radius_is_the_fast_gradient(scene: Scenes, proposals: Proposals) -> None:
    (one,), (other,) = (proposals(hunter, scene(range(5)), Linf(0.1)) for hunter in (BIM(1, 0.1), FGSM()))
    assert torch.equal(one.inputs, other.inputs)


def test_by_default_the_steps_lead_a_quarter_farther_than_the_radius(scene: Scenes, proposals: Proposals) -> None:
    by_itself = proposals(BIM(steps=5), scene(range(5)), Linf(0.1))
    as_said = proposals(BIM(steps=5, step=1.25 * 0.1 / 5), scene(range(5)), Linf(0.1))
    assert all(torch.equal(one.inputs, other.inputs) for one, other in zip(by_itself, as_said, strict=True))


@pytest.mark.parametrize("aimed", [False, True], ids=["untargeted", "targeted"])
def test_the_same_steps_as_foolbox_and_art(duel: Any, aimed: bool) -> None:
    target = (duel.labels + 1) % 10 if aimed else None
    ours = duel.proposals(BIM(steps=7, step=0.02), duel.scene(target), Linf(0.1))[-1].inputs
    steps = duel.foolbox.LinfBasicIterativeAttack(steps=7, abs_stepsize=0.02, random_start=False)
    assert torch.allclose(ours, duel.by_foolbox(steps, 0.1, target), rtol=0, atol=1e-6)
    attack = duel.art.BasicIterativeMethod(duel.classifier(), 0.1, 0.02, max_iter=7, targeted=aimed, verbose=False)
    assert torch.allclose(ours, duel.by_art(attack, target), rtol=0, atol=1e-6)


def test_breaks_more_than_one_step_does(duel: Any) -> None:
    broken = [int(duel.flipped(duel.ours(hunter, Linf(0.1))).sum()) for hunter in (FGSM(), BIM())]
    assert broken[1] > broken[0] > 0


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^bim works in linf or l2, got l0$"):
        proposals(BIM(), scene([0]), L0(0.1))


def test_settings() -> None:
    assert (BIM().steps, BIM().needs, BIM().width, BIM().step_cost(10)) == (10, Capability.GRADIENTS, 1, 2)
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 1, got 0$"):
        BIM(steps=0)
    with pytest.raises(InvalidSetting, match=r"^step must be > 0, got -0.1$"):
        BIM(step=-0.1)


@pytest.mark.parametrize(
    ("region", "norm"), [(Linf(0.3), torch.inf), (L2(3.0), 2), (SNR(2.0), 2)], ids=["linf", "l2", "snr"]
)
def test_searching_the_radius_finds_the_border(duel: Any, region: Linf | L2 | SNR, norm: float) -> None:
    plain, searched = (duel.ours(hunter, region) for hunter in (BIM(), BIM(searches=12)))
    before, after = duel.distances(plain, norm), duel.distances(searched, norm)
    broken = after < torch.inf
    assert bool((broken == (before < torch.inf)).all()), "nobody falls in a smaller ball only"
    assert float(after[broken].sum()) < 0.9 * float(before[broken].sum())
    assert float(duel.net(searched[broken]).softmax(dim=1).topk(2).values.diff(dim=1).abs().mean()) < 0.1, "hardly sure"


def test_a_search_without_further_radii_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^searches must be >= 0, got -1$"):
        BIM(searches=-1)
