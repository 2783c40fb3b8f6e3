from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.attacks.carlini_wagner import CarliniWagner
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]


def plain(net: nn.Module, inputs: Tensor, labels: Tensor, steps: int, constant: float, rate: float) -> list[Tensor]:
    """Descend for one constant as one writes it without this library; return the point before every step."""
    w = ((2 * inputs - 1) * 0.99).atanh().requires_grad_(True)
    adam, path = torch.optim.Adam([w], lr=rate), []
    for _ in range(steps):
        x = (w.tanh() + 1) / 2
        path.append(x.detach())
        logits = net(x)
        own = logits.gather(1, labels[:, None]).squeeze(1)
        other = logits.scatter(1, labels[:, None], -torch.inf).amax(dim=1)
        loss = (x - inputs).square().sum() + constant * (own - other).clamp_min(0).sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return path


def test_equals_adam_in_plain_torch(duel: Any) -> None:
    made = duel.scene()
    hunter = CarliniWagner(steps=40, searches=1, constant=5, step=0.05, abort_early=False)
    found = duel.proposals(hunter, made, L2(99))
    path = plain(duel.net, duel.inputs, duel.labels, 40, constant=5, rate=0.05)
    nearest = torch.full((64,), torch.inf)
    for one, x in zip(found, path, strict=True):
        lengths = (x - duel.inputs).flatten(1).norm(dim=1)
        nearer = duel.flipped(x) & (lengths < nearest)
        nearest = torch.where(nearer, lengths, nearest)
        # Where length or answer hang on the last bit they may differ for a step.
        common = sorted(set(one.seed_index.tolist()) & set(nearer.nonzero().flatten().tolist()))
        assert len(common) >= 0.9 * int(nearer.sum())
        picked = torch.tensor([one.seed_index.tolist().index(row) for row in common], dtype=torch.int64)
        assert torch.allclose(one.inputs[picked], x[common], rtol=0, atol=1e-4)
    assert float(nearest.isfinite().float().mean()) > 0.9


def test_the_place_in_the_batch_does_not_matter_for_inputs_of_any_size(proposals: Proposals) -> None:
    # Vectors of 8 values do not end where inputs of 25 do, and what is left over is computed by another function.
    model = TorchModule(nn.Sequential(nn.Flatten(), nn.Linear(25, 3)), "small", outputs="logits")
    inputs = torch.rand(6, 1, 5, 5, generator=torch.Generator().manual_seed(1))

    def of_last(rows: list[int]) -> list[list[float]]:
        metered, x = Metered(model, Meter(len(rows))), inputs[rows]
        clean = metered.of(torch.arange(len(rows))).observe(x)
        batch = Batch(x, clean.predicted, tuple(map(str, rows)))
        made = Subject(metered), Seeds(batch, clean), Streams(0, batch.ids)
        found = proposals(CarliniWagner(steps=20, searches=1, constant=50, step=0.1), made, L2(99))
        return [row.flatten().tolist() for one in found for row in one.inputs[one.seed_index == len(rows) - 1]]

    for last in range(1, 6):
        assert of_last([last])
        assert of_last([last]) == of_last(list(range(last + 1)))


def test_by_hand_on_a_linear_model_it_ends_at_the_boundary(scene: Scenes, proposals: Proposals) -> None:
    # Class 1 leads if 3 a + 4 b > 1 for the first two pixels: from (0, 0), the nearest such point is (0.12, 0.16).
    dense = nn.Linear(64, 2)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[1, :2] = torch.tensor([3.0, 4.0])
        dense.bias.copy_(torch.tensor([1.0, 0.0]))
    subject, seeds, streams = scene([0], TorchModule(nn.Sequential(nn.Flatten(), dense), "two", outputs="logits"))
    seeds.batch.inputs.flatten()[:2] = 0
    clean = subject.model.of(torch.tensor([0])).observe(seeds.batch.inputs)
    hunter = CarliniWagner(steps=150, searches=4, constant=0.1, step=0.02)
    found = [one for one in proposals(hunter, (subject, Seeds(seeds.batch, clean), streams), L2(5, -1, 1)) if len(one)]
    assert found[-1].inputs.flatten()[:2].tolist() == pytest.approx([0.12, 0.16], abs=0.005)
    lengths = [float((one.inputs - seeds.batch.inputs).norm()) for one in found]
    assert lengths == sorted(lengths, reverse=True), "each proposal is nearer than the last"


def test_the_constant_is_searched_for(duel: Any) -> None:
    # One constant that is far too small fails; ten times as much each time leads there, halving leads nearer.
    lengths = [
        duel.distances(duel.ours(CarliniWagner(steps=50, searches=count, constant=0.01, step=0.05), L2(99)))
        for count in (1, 4, 7)
    ]
    reached = [float(one.isfinite().float().mean()) for one in lengths]
    assert reached[0] < 0.3
    assert reached[1] > 0.9
    both = lengths[1].isfinite()
    assert float(lengths[2][both].mean()) < float(lengths[1][both].mean())


def test_no_farther_than_foolbox(duel: Any) -> None:
    hunter = CarliniWagner(steps=60, searches=3, constant=1, step=0.05, abort_early=False)
    attack = duel.foolbox.L2CarliniWagnerAttack(
        binary_search_steps=3, steps=60, stepsize=0.05, initial_const=1, abort_early=False
    )
    ours, theirs = duel.distances(duel.ours(hunter, L2(99))), duel.distances(duel.by_foolbox(attack, None))
    assert float(ours.isfinite().float().mean()) > 0.95
    assert float(theirs.isfinite().float().mean()) > 0.95
    assert float(ours.median()) <= float(theirs.median()) * 1.001


def test_no_farther_than_art(duel: Any) -> None:
    hunter = CarliniWagner(steps=40, searches=2, constant=1, step=0.05)
    attack = duel.art.CarliniL2Method(
        duel.classifier(), binary_search_steps=2, max_iter=40, initial_const=1, learning_rate=0.05, batch_size=64,
        verbose=False,
    )  # fmt: skip
    ours, theirs = duel.distances(duel.ours(hunter, L2(99))), duel.distances(duel.by_art(attack))
    assert int(ours.isfinite().sum()) >= int(theirs.isfinite().sum()) - 2
    assert float(ours.median()) <= float(theirs.median())


def test_targets_are_reached_no_farther_than_by_foolbox(duel: Any) -> None:
    target = (duel.labels + 3) % 10
    hunter = CarliniWagner(steps=80, searches=1, constant=10, step=0.05, abort_early=False)
    attack = duel.foolbox.L2CarliniWagnerAttack(
        binary_search_steps=1, steps=80, stepsize=0.05, initial_const=10, abort_early=False
    )
    ours = duel.distances(duel.ours(hunter, L2(99), target), target=target)
    theirs = duel.distances(duel.by_foolbox(attack, None, target), target=target)
    assert float(ours.isfinite().float().mean()) >= float(theirs.isfinite().float().mean()) > 0.7
    assert float(ours.median()) <= float(theirs.median()) * 1.001


def test_confidence_is_a_lead_in_logits(duel: Any) -> None:
    made = duel.scene()
    found = duel.proposals(CarliniWagner(steps=60, searches=1, constant=10, step=0.05, confidence=2), made, L2(99))
    seen = [made[0].model.model.observe(one.inputs).lead(duel.labels[one.seed_index]) for one in found if len(one)]
    assert seen
    assert float(torch.cat(seen).amax()) <= -2 + 1e-4


def test_who_is_there_needs_no_gradient(scene: Scenes, proposals: Proposals) -> None:
    # Class 0 or 1, whichever of two pixels is lighter. The second seed is answered wrongly, and drifts no farther.
    dense = nn.Linear(64, 2)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[0, 0] = dense.weight[1, 1] = 5
        dense.bias.zero_()
    subject, seeds, streams = scene([0, 1], TorchModule(nn.Sequential(nn.Flatten(), dense), "two", outputs="logits"))
    seeds.batch.inputs.fill_(0.5)
    seeds.batch.inputs.flatten(1)[:, 0] = 0.9
    made = subject, Seeds(seeds.batch, subject.model.of(torch.arange(2)).observe(seeds.batch.inputs)), streams
    proposals(CarliniWagner(steps=5, searches=1, constant=1, step=0.001), made, L2(5))
    assert made[0].model.meter.spent.tolist() == [2 + 2 * 5, 2 + 2 + 4], "labels are 0 and 1, the answer is 0"


def test_those_who_get_no_farther_go_on_to_the_next_constant(duel: Any) -> None:
    hasty, patient = (CarliniWagner(200, 2, constant=0.01, step=0.05, abort_early=early) for early in (True, False))
    assert len(duel.proposals(patient, duel.scene(), L2(99))) == 400
    made = duel.scene()
    assert len(duel.proposals(hasty, made, L2(99))) < 400
    # Some are done with the first constant sooner than others; nobody waits for them.
    assert len(made[0].model.meter.spent.unique()) > 2
    # Who gets on is not disturbed: small steps need them all.
    slow, slower = (CarliniWagner(150, 1, constant=5, step=0.01, abort_early=early) for early in (True, False))
    assert int(duel.flipped(duel.ours(slow, L2(99))).sum()) == int(duel.flipped(duel.ours(slower, L2(99))).sum())


def test_only_what_lies_in_the_region_is_proposed(duel: Any) -> None:
    region = L2(0.6)
    hunter = CarliniWagner(steps=60, searches=3, constant=1, step=0.05)
    near = duel.distances(duel.ours(hunter, region))
    far = duel.distances(duel.ours(hunter, L2(99)))
    assert 0 < int(near.isfinite().sum()) < 64
    assert torch.allclose(near[near.isfinite()], far[near.isfinite()])
    assert float(far[near.isinf()].amin()) > 0.6


def test_in_linf_it_climbs_along_the_surface(duel: Any) -> None:
    changed = duel.ours(CarliniWagner(steps=60, searches=2, constant=1, step=0.05), Linf(0.15))
    assert int(duel.flipped(changed).sum()) > 10
    assert bool(Linf(0.15).contains(changed, duel.inputs).all())


def test_refuses_regions_without_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^carlini_wagner works in linf or l2, got l0$"):
        proposals(CarliniWagner(), scene([0]), L0(0.1))


def test_settings() -> None:
    hunter = CarliniWagner()
    assert (hunter.needs, hunter.width, hunter.step_cost(10)) == (Capability.GRADIENTS, 1, 3)
    assert (hunter.searches, hunter.constant, hunter.step, hunter.confidence) == (9, 1e-3, 0.01, 0)
    for wrong, words in (
        ({"steps": 0}, "steps must be >= 1, got 0"),
        ({"searches": 0}, "searches must be >= 1, got 0"),
        ({"constant": 0.0}, "constant must be > 0, got 0.0"),
        ({"confidence": -1.0}, "confidence must be >= 0, got -1.0"),
        ({"step": 0.0}, "step must be > 0, got 0.0"),
    ):
        with pytest.raises(InvalidSetting) as error:
            CarliniWagner(**wrong)
        assert str(error.value) == words
