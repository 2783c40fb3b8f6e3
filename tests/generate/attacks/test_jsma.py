import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
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
from unnerve.generate.attacks.jsma import JSMA
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
Targeted = Callable[[Scene, Tensor], Scene]


@pytest.fixture
def linear(scene: Scenes) -> Scene:
    """Return one seed of zeros and class 0 under logits that are linear in its first five pixels."""
    dense = nn.Linear(64, 3)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[1, :5] = torch.tensor([4.0, 4.0, 1.0, 0.0, 1.0])  # the target's
        dense.weight[0, :5] = torch.tensor([6.0, 6.0, -1.0, -1.0, -4.0])
        dense.weight[2, :5] = torch.tensor([-1.0, -1.0, -2.0, -3.0, -2.0])
        dense.bias.copy_(torch.tensor([90.0, 0.0, 0.0]))
    subject, seeds, streams = scene([0], TorchModule(nn.Sequential(nn.Flatten(), dense), "linear", outputs="logits"))
    seeds.batch.inputs.zero_()
    return subject, Seeds(seeds.batch, subject.model.of(torch.tensor([0])).observe(seeds.batch.inputs)), streams


def touched(found: list[Candidates], start: float = 0) -> list[set[int]]:
    """Return the pixels of the first seed that differ from ``start`` after every step."""
    return [set((one.inputs[0].flatten() != start).nonzero().flatten().tolist()) for one in found]


def test_by_hand_the_pair_with_the_largest_saliency(linear: Scene, proposals: Proposals, targeted: Targeted) -> None:
    # alpha and beta of the pixels: (4, 5), (4, 5), (1, -3), (0, -4), (1, -6). Pairs: 2,4: 2 x 9; 3,4: 1 x 10;
    # 2,3: 1 x 7; 0,4: 5 x 1; 0,2: beta > 0. After 2 and 4 are gone there is only 0,3 left, with beta > 0.
    found = proposals(JSMA(), targeted(linear, torch.tensor([1])), L0(1))
    assert touched(found) == [{2, 4}]
    assert found[0].inputs.flatten()[[2, 4]].tolist() == [1, 1]
    assert linear[0].model.meter.spent.tolist() == [2 + 3 + 3], "the second map shows that there is no pair"


def test_by_hand_a_negative_change_turns_the_signs(linear: Scene, proposals: Proposals, targeted: Targeted) -> None:
    # Towards class 2 by darkening: alpha and beta are (1, -10), (1, -10), (2, 0), (3, 1), (2, 3). Pairs: 0,1: 2 x 20;
    # 0,2: 3 x 10; 0,3: 4 x 9; 0,4: 3 x 7. Then 2,3 and others: beta > 0.
    linear[1].batch.inputs.fill_(1)
    found = proposals(JSMA(change=-1), targeted(linear, torch.tensor([2])), L0(1))
    assert touched(found, 1) == [{0, 1}]
    assert found[0].inputs.flatten()[:2].tolist() == [0, 0]


def test_small_changes_add_up(linear: Scene, proposals: Proposals, targeted: Targeted) -> None:
    found = proposals(JSMA(change=0.4), targeted(linear, torch.tensor([1])), L0(1))
    values = [one.inputs.flatten()[2].item() for one in found]
    assert values == pytest.approx([0.4, 0.8, 1.0], abs=1e-6), "and end at the largest valid value"


def test_probabilities_cancel_alpha_and_beta(linear: Scene, proposals: Proposals, targeted: Targeted) -> None:
    # Class 0 has all the probability: what counts is the target's slope minus that of class 0: -2, -2, 2, 1, 5.
    found = proposals(JSMA("probabilities"), targeted(linear, torch.tensor([1])), L0(1))
    assert touched(found)[0] == {2, 4}
    assert linear[0].model.meter.spent.tolist()[0] % 2 == 0, "forward and backward passes, after the two of the seed"


def test_without_a_target_the_most_probable_wrong_class_is_it(
    scene: Scenes, proposals: Proposals, targeted: Targeted
) -> None:
    made = scene(range(30))
    aim = made[1].clean.logits.scatter(1, made[1].expected[:, None], -torch.inf).argmax(dim=1)
    first = proposals(JSMA(), made, L0(0.3))[0].inputs
    aimed = proposals(JSMA(), targeted(scene(range(30)), aim), L0(0.3))[0].inputs
    right = made[1].clean.predicted == made[1].expected
    assert torch.equal(first[right], aimed[right])
    assert torch.equal(first[~right], made[1].batch.inputs[~right]), "they are answered wrongly already"
    assert bool((made[0].model.meter.spent[~right] == 1 + 3).all()), "and done after one look"


def test_equals_art_where_the_logits_sum_to_zero(duel: Any) -> None:
    # Then beta is minus alpha, and the best pair are the two steepest features, which is what ART takes always.
    class Centred(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            logits: Tensor = duel.net(x)
            return logits - logits.mean(dim=1, keepdim=True)

    centred, target = replace(duel, net=Centred().eval()), (duel.labels + 1) % 10
    theirs = centred.by_art(
        duel.art.SaliencyMapMethod(centred.classifier(), theta=0.5, gamma=0.3, batch_size=64, verbose=False), target
    )
    ours = centred.ours(JSMA("logits", change=0.5, distortion=1), L0(1), target)
    reached = centred.flipped(theirs, target)
    assert int(reached.sum()) > 30
    # A few end otherwise, where two features are equally steep but for rounding.
    assert float((ours - theirs)[reached].flatten(1).abs().amax(dim=1).eq(0).float().mean()) > 0.9


def test_reaches_no_fewer_targets_than_art_with_fewer_pixels(duel: Any) -> None:
    target = (duel.labels + 1) % 10
    ours = duel.ours(JSMA("probabilities", distortion=0.3), L0(1), target)
    attack = duel.art.SaliencyMapMethod(duel.classifier(), theta=1.0, gamma=0.3, batch_size=64, verbose=False)
    theirs = duel.by_art(attack, target)
    assert int(duel.flipped(ours, target).sum()) >= int(duel.flipped(theirs, target).sum()) - 2
    assert int(duel.flipped(theirs, target).sum()) > 40
    both = duel.flipped(ours, target) & duel.flipped(theirs, target)
    changed = [float((x != duel.inputs)[both].flatten(1).sum(dim=1).float().mean()) for x in (ours, theirs)]
    assert changed[0] <= changed[1]


def test_an_l0_region_is_the_budget(duel: Any) -> None:
    target, region = (duel.labels + 1) % 10, L0(0.2)  # 12 pixels
    found = duel.proposals(JSMA(), duel.scene(target), region)
    assert len(found) == 6
    for step, one in enumerate(found):
        changed = (one.inputs != duel.inputs[one.seed_index]).flatten(1).sum(dim=1)
        assert bool((changed == 2 * (step + 1)).all())
    assert len(duel.proposals(JSMA(distortion=0.1), duel.scene(target), region)) == 3, "3 pairs of 64 are a tenth"
    assert len(duel.proposals(JSMA(), duel.scene(target), Linf(0.05))) == 4, "0.145 of 64 features"


@pytest.mark.parametrize("region", [Linf(0.2), L2(0.7)], ids=["linf", "l2"])
def test_changes_are_projected_into_a_ball(duel: Any, region: Linf | L2) -> None:
    found = duel.proposals(JSMA(distortion=1), duel.scene((duel.labels + 1) % 10), region)
    for one in found:
        assert bool(region.contains(one.inputs, duel.inputs[one.seed_index]).all())
    counts = [(one.inputs != duel.inputs[one.seed_index]).flatten(1).sum(dim=1).float().mean() for one in found[:5]]
    assert [float(count) for count in counts] == pytest.approx([2, 4, 6, 8, 10], abs=0.2)


@pytest.mark.soak
def test_an_image_of_imagenet_size_takes_less_than_two_gigabytes() -> None:
    code = """
import resource, torch
from torch import nn
from unnerve.core.data.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.generate.attacks.jsma import JSMA
from unnerve.generate.regions.l0 import L0
from unnerve.subjects.adapters.torch_module import TorchModule
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 4, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(64, 1000))
model = Metered(TorchModule(net, outputs="logits"), Meter(1))
batch = Batch(torch.rand(1, 3, 224, 224), None, ("a",))
seeds = Seeds(batch, model.of(torch.tensor([0])).observe(batch.inputs), torch.tensor([7]))
hunt = JSMA().hunt(Subject(model), seeds, L0(0.01), Streams(0, ["a"]))
next(hunt)
for _ in range(20):
    hunt.send(torch.tensor([True]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) < 2


def test_settings() -> None:
    assert (JSMA().needs, JSMA().width) == (Capability.GRADIENTS, 1)
    assert (JSMA().step_cost(10), JSMA("probabilities").step_cost(10)) == (3, 2)
    with pytest.raises(InvalidSetting, match=r"^outputs must be logits or probabilities, got 'labels'$"):
        JSMA("labels")
    for wrong in (0.0, float("nan")):
        with pytest.raises(InvalidSetting, match=rf"^change must not be 0, got {wrong}$"):
            JSMA(change=wrong)
    for wrong in (0.0, 1.5):
        with pytest.raises(InvalidSetting, match=rf"^distortion must be in \(0, 1\], got {wrong}$"):
            JSMA(distortion=wrong)
