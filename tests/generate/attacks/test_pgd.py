from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
# As many seeds as the adapter pads a pass to, so that plain torch runs the same kernels.
ROWS = range(32)


def plain_step(net: nn.Module, x: Tensor, labels: Tensor, centre: Tensor, step: float, region: Linf | L2) -> Tensor:
    """One step of PGD as one writes it without this library."""
    x = x.clone().requires_grad_(True)
    cross_entropy(net(x), labels, reduction="sum").backward()
    assert x.grad is not None
    with torch.no_grad():
        radius = region.radius
        if isinstance(region, Linf):
            return (x + step * x.grad.sign()).clamp(centre - radius, centre + radius).clamp(0, 1)
        length = x.grad.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
        delta = x.add(x.grad / length, alpha=step).clamp(0, 1) - centre
        size = delta.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
        projected: Tensor = (delta * (radius / size).clamp(max=1) + centre).clamp(0, 1)
        return projected


@pytest.mark.parametrize("random_start", [True, False])
@pytest.mark.parametrize(("region", "step"), [(Linf(0.1), 0.03), (L2(0.5), 0.2)], ids=["linf", "l2"])
def test_equals_a_loop_in_plain_torch(
    scene: Scenes, proposals: Proposals, tiny_net: nn.Module, region: Linf | L2, step: float, random_start: bool
) -> None:
    made = scene(ROWS)
    centre, labels = made[1].batch.inputs, made[1].expected
    x = region.samples(centre, made[2], 0, 1).squeeze(1) if random_start else centre
    proposed = proposals(PGD(steps=6, step=step, random_start=random_start), made, region)
    assert [one.step for one in proposed] == list(range(6))
    for one in proposed:
        x = plain_step(tiny_net, x, labels, centre, step, region)
        # Identical here; where kernels round otherwise, the gradient's length, unlike its sign, may differ in a bit.
        assert torch.allclose(one.inputs, x, rtol=0, atol=0 if isinstance(region, Linf) else 1e-6)


def test_without_a_random_start_it_starts_at_the_seed(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(5))
    first = proposals(PGD(steps=1, step=0.03, random_start=False), made, Linf(0.1))[0].inputs
    change = (first - made[1].batch.inputs).abs()
    assert float(change.amax()) == pytest.approx(0.03, abs=1e-6)
    other = proposals(PGD(steps=1, step=0.03), scene(range(5)), Linf(0.1))[0].inputs
    assert not torch.equal(first, other)


@pytest.mark.parametrize("region", [Linf(0.1), L2(0.5)], ids=["linf", "l2"])
def test_the_length_of_a_step_depends_on_the_radius(scene: Scenes, proposals: Proposals, region: Linf | L2) -> None:
    # 2.5 times the radius over the number of steps.
    by_itself = proposals(PGD(steps=5), scene(range(5)), region)
    as_said = proposals(PGD(steps=5, step=region.radius / 2), scene(range(5)), region)
    assert all(torch.equal(one.inputs, other.inputs) for one, other in zip(by_itself, as_said, strict=True))


def test_on_a_linear_model_it_reaches_the_corner_of_the_ball(scene: Scenes, proposals: Proposals) -> None:
    dense = nn.Linear(64, 2)
    with torch.no_grad():
        dense.weight[1] = -dense.weight[0]  # two classes: the loss rises along one direction everywhere
        dense.bias.zero_()
    made = scene(range(6), TorchModule(nn.Sequential(nn.Flatten(), dense), "linear"))
    centre = made[1].batch.inputs
    right = torch.arange(6) % 4
    made[1].batch.labels.copy_(right.clamp(max=1))  # type: ignore[union-attr]
    last = proposals(PGD(steps=10), made, Linf(0.05, low=-9, high=9))[-1].inputs
    away = (dense.weight[1] - dense.weight[0]).sign().view(1, 1, 8, 8) * (1 - 2 * right.clamp(max=1)).view(6, 1, 1, 1)
    assert torch.allclose(last, centre + 0.05 * away, rtol=0, atol=1e-6)


def test_l2_on_a_linear_model_goes_straight(scene: Scenes, proposals: Proposals) -> None:
    dense = nn.Linear(64, 4)
    made = scene(range(4), TorchModule(nn.Sequential(nn.Flatten(), dense), "linear"))
    last = proposals(PGD(steps=3, random_start=False), made, L2(0.3, low=-9, high=9))[-1].inputs
    assert (last - made[1].batch.inputs).flatten(1).norm(dim=1).tolist() == pytest.approx([0.3] * 4, abs=1e-5)


def test_unwanted_seeds_cost_no_gradients(scene: Scenes, proposals: Proposals) -> None:
    wanted = [[1, 1, 1], [1, 0, 1], [1, 0, 0], [1, 1, 1]]
    made = scene(range(3))
    proposed = proposals(PGD(steps=4), made, Linf(0.1), lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    everyone = proposals(PGD(steps=4), scene(range(3)), Linf(0.1))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2], [0, 1, 2], [0, 2], [0]]
    assert made[0].model.meter.spent.tolist() == [1 + 2 * 4, 1 + 2 * 2, 1 + 2 * 3]
    assert all(
        torch.equal(one.inputs, full.inputs[one.seed_index]) for one, full in zip(proposed, everyone, strict=True)
    )


@pytest.mark.parametrize(("region", "kind"), [(Linf(0.1), "Linf"), (L2(0.7), "L2")], ids=["linf", "l2"])
def test_breaks_no_fewer_than_foolbox(duel: Any, region: Linf | L2, kind: str) -> None:
    ours = duel.flipped(duel.ours(PGD(steps=20), region))
    attack = getattr(duel.foolbox, f"{kind}ProjectedGradientDescentAttack")
    theirs = duel.flipped(duel.by_foolbox(attack(steps=20, rel_stepsize=2.5 / 20), region.radius))
    assert int(ours.sum()) >= int(theirs.sum()) - 3, "the two start elsewhere, on which one or two digits hang"
    assert int(theirs.sum()) > 20


def test_without_a_random_start_the_same_as_art(duel: Any) -> None:
    target = (duel.labels + 1) % 10
    for aim in (None, target):
        hunter = PGD(steps=8, step=0.02, random_start=False)
        ours = duel.proposals(hunter, duel.scene(aim), Linf(0.1))[-1].inputs
        attack = duel.art.ProjectedGradientDescent(
            duel.classifier(), eps=0.1, eps_step=0.02, max_iter=8, targeted=aim is not None, verbose=False
        )
        assert torch.allclose(ours, duel.by_art(attack, aim), rtol=0, atol=1e-6)


def test_a_target_is_reached(duel: Any) -> None:
    target = (duel.labels + 3) % 10
    aimed = duel.ours(PGD(steps=20), Linf(0.3), target)
    anyhow = duel.ours(PGD(steps=20), Linf(0.3))
    assert int(duel.flipped(aimed, target).sum()) > 40 > int(duel.flipped(anyhow, target).sum())


def test_breaks_more_seeds_than_it_finds_broken(scene: Scenes, proposals: Proposals, tiny_model: TorchModule) -> None:
    made = scene(range(40))
    before = made[1].clean.predicted == made[1].expected
    after = tiny_model.observe(proposals(PGD(steps=10), made, Linf(0.1))[-1].inputs).predicted == made[1].expected
    assert int(after.sum()) < int(before.sum())


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^pgd works in linf or l2, got l0$"):
        proposals(PGD(), scene(range(2)), L0(0.1))


def test_settings() -> None:
    assert (PGD().needs, PGD().width, PGD().step_cost(10)) == (Capability.GRADIENTS, 1, 2)
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 1, got 0$"):
        PGD(steps=0)
    for wrong in (0.0, -0.1, float("nan")):
        with pytest.raises(InvalidSetting, match=f"^step must be > 0, got {wrong}$"):
            PGD(step=wrong)
