"""What is asked of every hunter."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.catalogue import build, describe
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import fits
from unnerve.core.metering import Meter, Metered
from unnerve.core.methods import Hunter, Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.testing.texts import texts

Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
Chase = Callable[..., list[Candidates]]
Wanted = Callable[[int], Tensor]

REGIONS = ["linf:0.1", "l2:0.5", "l0:0.1"]
FITTING = {
    (text, region): fits(build("hunter", text), build("region", region))
    for text in texts("hunter")
    for region in REGIONS
}
PAIRS = [pair for pair, fitting in FITTING.items() if fitting]
REFUSED = [pair for pair, fitting in FITTING.items() if not fitting]
ROWS = [3, 8, 20, 30, 36, 5]  # 20 and 36 are answered as their labels say


@pytest.fixture(params=PAIRS, ids=" in ".join)
def pair(request: pytest.FixtureRequest) -> tuple[Hunter, Space]:
    return build("hunter", request.param[0]), build("region", request.param[1])


@pytest.fixture
def hunter(pair: tuple[Hunter, Space]) -> Hunter:
    return pair[0]


@pytest.fixture
def space(pair: tuple[Hunter, Space]) -> Space:
    return pair[1]


def by_seed(found: list[Candidates], ids: Sequence[str]) -> dict[str, list[Tensor]]:
    """Return what was proposed for each seed, in order."""
    paths: dict[str, list[Tensor]] = {name: [] for name in ids}
    for candidates in found:
        for row, owner in enumerate(candidates.seed_index.tolist()):
            paths[ids[owner]].append(candidates.inputs[row])
    return paths


def without(rows: list[int], after: int) -> Wanted:
    """Want everything up to a step, and then all but these."""

    def wanted(step: int) -> Tensor:
        keep = torch.ones(len(ROWS), dtype=torch.bool)
        if step >= after:
            keep[rows] = False
        return keep

    return wanted


def test_candidates_lie_inside_the_region(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    made = scene(ROWS)
    centre = made[1].batch.inputs
    found = chase(hunter, made, space)
    assert [candidates.step for candidates in found] == list(range(len(found)))
    for candidates in found:
        assert candidates.inputs.shape == (len(candidates), 1, 8, 8)
        assert candidates.inputs.dtype == torch.float32
        assert candidates.seed_index.dtype == torch.int64
        assert bool(space.contains(candidates.inputs, centre[candidates.seed_index]).all())
    assert any(not torch.equal(one.inputs, centre[one.seed_index]) for one in found)


def test_the_same_candidates_and_queries_alone_and_in_company(
    hunter: Hunter, space: Space, scene: Scenes, chase: Chase
) -> None:
    made = scene(ROWS)
    together = by_seed(chase(hunter, made, space), made[1].batch.ids)
    for place, row in enumerate(ROWS):
        single = scene([row])
        (alone,) = by_seed(chase(hunter, single, space), single[1].batch.ids).values()
        assert all(torch.equal(one, other) for one, other in zip(alone, together[str(row)], strict=True))
        assert int(single[0].model.meter.spent[0]) == int(made[0].model.meter.spent[place])


def test_who_is_unwanted_is_left_out_and_costs_nothing(
    hunter: Hunter, space: Space, scene: Scenes, chase: Chase
) -> None:
    made, full = scene(ROWS), scene(ROWS)
    everyone = by_seed(chase(hunter, full, space), full[1].batch.ids)
    found = chase(hunter, made, space, without([0, 4], after=1))
    for candidates in found[2:]:
        assert not {0, 4} & set(candidates.seed_index.tolist())
    for name, path in by_seed(found, made[1].batch.ids).items():
        assert all(torch.equal(one, other) for one, other in zip(path, everyone[name], strict=False))
    spent, in_full = made[0].model.meter.spent, full[0].model.meter.spent
    kept = torch.tensor([1, 2, 3, 5])
    assert torch.equal(spent[kept], in_full[kept])
    assert bool((spent[[0, 4]] <= 1 + hunter.start_cost + 2 * hunter.step_cost(4)).all())


def test_a_part_of_the_seeds_is_charged_for_itself(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    part = torch.tensor([2, 3, 4])
    rows = [ROWS[place] for place in part]
    own, (subject, seeds, streams) = scene(rows), scene(rows)
    meter = Meter(len(ROWS))
    among = replace(subject, model=Metered(subject.model.model, meter).among(part))
    expected, found = chase(hunter, own, space), chase(hunter, (among, seeds, streams), space)
    for one, other in zip(expected, found, strict=True):
        assert torch.equal(one.inputs, other.inputs)
        assert torch.equal(one.seed_index, other.seed_index)
    assert torch.equal(meter.spent[part], own[0].model.meter.spent - 1), "the clean pass was somebody else's"
    assert int(meter.spent.sum()) == int(meter.spent[part].sum())


def test_ends_if_nothing_is_wanted(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    assert len(chase(hunter, scene(ROWS), space, without(list(range(6)), after=0))) == 1


def test_no_step_costs_more_than_it_says(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    subject, seeds, streams = scene(ROWS)
    spent = subject.model.meter.spent
    before = [spent.clone()]

    def wanted(step: int) -> Tensor:
        before.append(spent.clone())
        return torch.ones(len(ROWS), dtype=torch.bool)

    steps = len(chase(hunter, (subject, seeds, streams), space, wanted))
    costs = torch.stack([*before, spent]).diff(dim=0)
    costs[0] -= hunter.start_cost
    assert int(costs.amax()) <= hunter.step_cost(4)
    assert bool((spent > 1 + hunter.start_cost).all())
    # Once more than it proposes, for a hunter may look only to see that it is done.
    assert bool((spent <= 1 + hunter.start_cost + (steps + 1) * hunter.step_cost(4)).all())


@pytest.mark.usefixtures("random_state_stays")
def test_inputs_and_random_state_are_left_alone(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    made = scene(ROWS)
    before = made[1].batch.inputs.clone(), made[1].clean.logits.clone()
    chase(hunter, made, space)
    assert torch.equal(made[1].batch.inputs, before[0])
    assert torch.equal(made[1].clean.logits, before[1])


def test_the_module_is_left_as_it_was(
    hunter: Hunter, space: Space, scene: Scenes, chase: Chase, tiny_net: nn.Module
) -> None:
    weights = {name: tensor.clone() for name, tensor in tiny_net.state_dict().items()}
    tiny_net.train()
    frozen = next(tiny_net.parameters()).requires_grad_(False)
    chase(hunter, scene(ROWS), space)
    assert all(part.training for part in tiny_net.modules())
    assert [one.requires_grad for one in tiny_net.parameters()] == [one is not frozen for one in tiny_net.parameters()]
    assert all(one.grad is None for one in tiny_net.parameters())
    assert all(torch.equal(tensor, weights[name]) for name, tensor in tiny_net.state_dict().items())


def test_another_seed_of_the_run_gives_other_candidates_to_who_draws(
    hunter: Hunter, space: Space, scene: Scenes, chase: Chase
) -> None:
    subject, seeds, _ = scene(ROWS)
    streams = [Streams(run, seeds.batch.ids) for run in (0, 1)]
    first, other = (chase(hunter, (subject, seeds, own), space)[0] for own in streams)
    drawn = any(any(own.drawn) for own in streams)
    assert hunter.draws in (None, drawn)
    assert torch.equal(first.inputs, other.inputs) != drawn


def test_needs_what_it_says(hunter: Hunter, space: Space, scene: Scenes, chase: Chase) -> None:
    assert isinstance(hunter.needs, Capability)
    assert hunter.width >= 1
    if hunter.needs == Capability.ANSWERS:
        box = BlackBox(lambda x: np.stack([x.mean(axis=(1, 2, 3)), x[:, 0, 0, 0] - 1], axis=1), "box", "logits")
        made = scene([0, 1, 4, 5], box)  # labels 0 and 1: the box knows no others
        assert chase(hunter, made, space)


@pytest.mark.parametrize(("text", "region"), REFUSED)
def test_a_region_that_does_not_fit_is_refused_by_name(text: str, region: str, scene: Scenes, chase: Chase) -> None:
    with pytest.raises(InvalidSetting, match=rf"^{text.partition(':')[0]} .*, got {region.partition(':')[0]}$"):
        chase(build("hunter", text), scene(ROWS), build("region", region))


def test_survives_json(hunter: Hunter) -> None:
    assert build("hunter", json.loads(json.dumps(describe(hunter)))) == hunter
