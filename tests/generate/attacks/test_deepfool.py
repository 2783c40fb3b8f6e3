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
from unnerve.generate.attacks.deepfool import DeepFool
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
Targeted = Callable[[Scene, Tensor], Scene]
FREE = {"low": -99.0, "high": 99.0}


@pytest.fixture
def affine(scene: Scenes) -> Scene:
    """Return one seed of class 0 under the logits (0, 3 a - 1, 4 b - 2, -9), where a and b are its first pixels, 0."""
    dense = nn.Linear(64, 4)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[1, 0], dense.weight[2, 1] = 3, 4
        dense.bias.copy_(torch.tensor([0.0, -1.0, -2.0, -9.0]))
    subject, seeds, streams = scene([0], TorchModule(nn.Sequential(nn.Flatten(), dense), "affine", outputs="logits"))
    seeds.batch.inputs.flatten()[:2] = 0
    rows = torch.tensor([0])
    return subject, Seeds(seeds.batch, subject.model.of(rows).observe(seeds.batch.inputs)), streams


@pytest.mark.parametrize("region", [L2(9, **FREE), Linf(9, **FREE)], ids=["l2", "linf"])
def test_by_hand_the_nearest_boundary_in_one_step(affine: Scene, proposals: Proposals, region: L2 | Linf) -> None:
    # The boundaries of the classes 1 and 2 lie 1/3 and 1/2 away, along the first and second pixel.
    (found,) = proposals(DeepFool(overshoot=0.02), affine, region)
    change = (found.inputs - affine[1].batch.inputs).flatten()
    assert change[:2].tolist() == pytest.approx([(1 / 3 + 1e-4) * 1.02, 0], abs=1e-6)
    assert float(change[1:].abs().amax()) == 0


def test_by_hand_only_as_many_classes_are_looked_at_as_is_said(affine: Scene, proposals: Proposals) -> None:
    # Of the rivals' logits -1, -2, -9 only the first is looked at; with it alone the step is the same.
    (found,) = proposals(DeepFool(candidates=2), affine, L2(9, **FREE))
    assert float((found.inputs - affine[1].batch.inputs).norm()) == pytest.approx((1 / 3 + 1e-4) * 1.02, abs=1e-6)
    assert affine[0].model.meter.spent.tolist() == [2 + 3], "one forward and one backward pass, and a look"


def test_by_hand_a_target(affine: Scene, proposals: Proposals, targeted: Targeted) -> None:
    (found,) = proposals(DeepFool(), targeted(affine, torch.tensor([2])), L2(9, **FREE))
    change = (found.inputs - affine[1].batch.inputs).flatten()
    assert change[:2].tolist() == pytest.approx([0, (1 / 2 + 1e-4) * 1.02], abs=1e-6)


def test_by_hand_the_step_in_linf_shares_the_change(scene: Scenes, proposals: Proposals) -> None:
    # Lead of class 1: 3 a + b - 1. All of the gradient's 1-norm, 4, counts: 1/4 for each of the two pixels.
    dense = nn.Linear(64, 2)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[1, 0], dense.weight[1, 1] = 3, 1
        dense.bias.copy_(torch.tensor([0.0, -1.0]))
    subject, seeds, streams = scene([0], TorchModule(nn.Sequential(nn.Flatten(), dense), "two", outputs="logits"))
    seeds.batch.inputs.flatten()[:2] = 0
    clean = subject.model.of(torch.tensor([0])).observe(seeds.batch.inputs)
    made = subject, Seeds(seeds.batch, clean), streams
    for region, wanted in ((Linf(9, **FREE), [0.25, 0.25]), (L2(9, **FREE), [0.3, 0.1])):
        (found,) = proposals(DeepFool(overshoot=0), made, region)
        assert found.inputs.flatten()[:2].tolist() == pytest.approx(wanted, abs=2e-4)


@pytest.mark.parametrize("region", [L2(9), Linf(1), Linf(0.35)], ids=["l2", "linf", "linf, small"])
@pytest.mark.parametrize(("border", "weight"), [(0.0, -400.0), (1.0, 400.0)], ids=["low", "high"])
def test_by_hand_values_that_cannot_move_do_not_hold_up_the_others(
    scene: Scenes, proposals: Proposals, region: L2 | Linf, border: float, weight: float
) -> None:
    # Lead of class 1: w (a - border) + 3 b - 1.5, where a lies on the border of valid values and b is 1/4 away.
    dense = nn.Linear(64, 2)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[1, 0], dense.weight[1, 1] = weight, 3
        dense.bias.copy_(torch.tensor([0.0, -1.5 - weight * border]))
    subject, seeds, streams = scene([0], TorchModule(nn.Sequential(nn.Flatten(), dense), "two", outputs="logits"))
    seeds.batch.inputs.flatten()[:2] = torch.tensor([border, 0.25])
    clean = subject.model.of(torch.tensor([0])).observe(seeds.batch.inputs)
    found = proposals(DeepFool(), (subject, Seeds(seeds.batch, clean), streams), region)
    assert len(found) <= 15, "half of the way is gone in every step"
    assert found[-1].inputs.flatten()[0] == border
    assert float(found[-1].inputs.flatten()[1]) == pytest.approx(0.5, abs=2e-3)
    assert int(subject.model.model.observe(found[-1].inputs).predicted) == 1


def test_a_seed_that_is_answered_wrongly_stays_and_is_done(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(40))
    wrong = (made[1].clean.predicted != made[1].expected).nonzero().flatten().tolist()
    first, *rest = proposals(DeepFool(), made, L2(5))
    assert wrong
    assert torch.equal(first.inputs[wrong], made[1].batch.inputs[wrong])
    assert not any(set(wrong) & set(found.seed_index.tolist()) for found in rest)


def test_stops_where_the_answer_changes(scene: Scenes, proposals: Proposals, tiny_model: TorchModule) -> None:
    made = scene(range(40))
    found = proposals(DeepFool(), made, L2(5))
    for one, after in zip(found, [*found[1:], None], strict=True):
        fooled = tiny_model.observe(one.inputs).predicted != made[1].expected[one.seed_index]
        goes_on = torch.zeros(40, dtype=torch.bool)
        goes_on[[] if after is None else after.seed_index] = True
        assert torch.equal(goes_on[one.seed_index], ~fooled)


def test_a_small_region_holds(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(10))
    for found in proposals(DeepFool(steps=5), made, L2(0.05)):
        assert bool(L2(0.05).contains(found.inputs, made[1].batch.inputs[found.seed_index]).all())


@pytest.mark.parametrize(
    ("region", "kind", "norm"), [(L2(99), "L2", 2), (Linf(1), "Linf", torch.inf)], ids=["l2", "linf"]
)
def test_no_farther_than_foolbox(duel: Any, region: L2 | Linf, kind: str, norm: float) -> None:
    ours = duel.distances(duel.ours(DeepFool(), region), norm)
    theirs = duel.distances(duel.by_foolbox(getattr(duel.foolbox, f"{kind}DeepFoolAttack")(), None), norm)
    assert bool(ours.isfinite().all())
    assert bool(theirs.isfinite().all())
    assert float(ours.mean()) <= float(theirs.mean())
    # One end more or less moves the median; most ends are the same.
    assert float(ours.median()) <= float(theirs.median()) * 1.002


def test_no_farther_than_art(duel: Any) -> None:
    ours = duel.distances(duel.ours(DeepFool(), L2(99)))
    attack = duel.art.DeepFool(duel.classifier(), max_iter=50, epsilon=0.02, batch_size=64, verbose=False)
    theirs = duel.distances(duel.by_art(attack))
    reached = theirs.isfinite()
    assert bool(ours.isfinite().all())
    assert int(reached.sum()) > 60
    assert float(ours[reached].mean()) <= float(theirs[reached].mean())
    assert float(ours.median()) <= float(theirs.median()) * 1.002


def test_everyone_ends_clearly_across(duel: Any) -> None:
    # Steps that are short by a hair end a hair across, where the judge of a campaign would not count them.
    ends = duel.inputs.clone()
    for found in duel.proposals(DeepFool(overshoot=0), duel.scene(), L2(99)):
        ends[found.seed_index] = found.inputs
    with torch.no_grad():
        logits = duel.net(ends)
    own = logits.gather(1, duel.labels.unsqueeze(1)).squeeze(1)
    rival = logits.scatter(1, duel.labels.unsqueeze(1), -torch.inf).amax(dim=1)
    assert float((rival - own).amin()) > 1.5e-4


def test_targets_are_reached(duel: Any) -> None:
    target = (duel.labels + 3) % 10
    distances = duel.distances(duel.ours(DeepFool(), L2(99), target), target=target)
    assert float(distances.isfinite().float().mean()) > 0.95
    assert float(distances.median()) > float(duel.distances(duel.ours(DeepFool(), L2(99))).median())


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^deepfool works in linf or l2, got l0$"):
        proposals(DeepFool(), scene([0]), L0(0.1))


def test_settings() -> None:
    assert (DeepFool().needs, DeepFool().width) == (Capability.GRADIENTS, 1)
    assert [DeepFool().step_cost(classes) for classes in (2, 10, 1000)] == [3, 11, 11]
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 1, got 0$"):
        DeepFool(steps=0)
    with pytest.raises(InvalidSetting, match=r"^overshoot must be >= 0, got -1$"):
        DeepFool(overshoot=-1)
    with pytest.raises(InvalidSetting, match=r"^candidates must be >= 2, got 1$"):
        DeepFool(candidates=1)
