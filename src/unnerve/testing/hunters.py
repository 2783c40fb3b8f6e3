"""What is asked of every hunter."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.fitting import fits
from unnerve.core.methods import Hunter, Lineal, Space
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.pools import PoolHunter
from unnerve.core.streams import Streams
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.pools import check_pool_hunter
from unnerve.testing.promises import about, promise, promise_json, random_state_stays, refuses
from unnerve.testing.scene import Scene, Wanted, proposals, scene, tiny_net

__all__ = ["REGIONS", "check_hunter"]

REGIONS = ("linf:0.1", "l2:0.5", "l0:0.1")

_ROWS = [3, 8, 20, 30, 36, 5]  # 20 and 36 are answered as their labels say
_CLASSES = 4


@dataclass(frozen=True, eq=False)
class _Case:
    """A hunter in a region, and six small images."""

    hunter: Hunter
    space: Space
    net: nn.Module = field(default_factory=tiny_net)

    def given(self, rows: Sequence[int] = _ROWS) -> Scene:
        return scene(rows, TorchModule(self.net, "tiny", dropout=Dropout(0.3)))

    def found(self, given: Scene, wanted: Wanted | None = None) -> list[Candidates]:
        return proposals(self.hunter, given, self.space, wanted)

    def paths(self, given: Scene, wanted: Wanted | None = None) -> dict[str, list[Tensor]]:
        """Return what was proposed for each seed, in order."""
        return _by_seed(self.found(given, wanted), given[1].batch.ids)


def check_hunter(hunter: Hunter | PoolHunter | str, region: Space | str | None = None) -> None:
    """Raise an AssertionError that says what a hunter promises and does not keep.

    Parameters
    ----------
    hunter : Hunter, PoolHunter or str
        With settings with which it ends quickly.
    region : Space or str, optional
        Where it hunts; in a ball of each norm by default. A region that the hunter does not name among its own must be
        refused.

    Examples
    --------
    >>> from unnerve.testing.hunters import check_hunter
    >>> check_hunter("my_attacks.py:Shrinking:steps=4")
    >>> check_hunter("pgd:steps=2", "l2:0.5")
    """
    method: Hunter | PoolHunter = build("hunter", hunter)
    name = str(describe(method)["name"])
    for one in REGIONS if region is None else (region,):
        space: Space = build("region", one)
        with about(f"{name} in {describe(space)['name']}"):
            if isinstance(method, PoolHunter):
                check_pool_hunter(method, space)
            else:
                for check in _CHECKS if fits(method, space) else (_refuses_the_region,):
                    check(_Case(method, space))
    with about(name):
        promise_json("hunter", method)


def _candidates_lie_inside_the_region(case: _Case) -> None:
    given = case.given()
    centre, found = given[1].batch.inputs, case.found(given)
    promise([one.step for one in found] == list(range(len(found))), "steps must be numbered from 0")
    for one in found:
        shape, wanted = tuple(one.inputs.shape), (len(one), 1, 8, 8)
        promise(shape == wanted, f"candidates must be like the seeds, {wanted}, got {shape}")
        promise(one.inputs.dtype == torch.float32, f"candidates must be float32, got {one.inputs.dtype}")
        promise(one.seed_index.dtype == torch.int64, f"seed_index must be int64, got {one.seed_index.dtype}")
        origin = centre[one.seed_index]
        if isinstance(case.space, Lineal) and one.parameters is not None:
            promise(case.space.permits(one.parameters).all(), "parameters must lie inside their bounds")
            origin = case.space.origins(origin, one.parameters)
        inside = case.space.contains(one.inputs, origin).all()
        promise(inside, f"candidates must lie inside the region, but some of step {one.step} do not")
    changed = any(not torch.equal(one.inputs, centre[one.seed_index]) for one in found)
    promise(changed, "candidates must not all be the seeds themselves")


def _the_same_alone_and_in_company(case: _Case) -> None:
    given = case.given()
    together = case.paths(given)
    for place, row in enumerate(_ROWS):
        single = case.given([row])
        # Shards and workers cut the seeds differently each time; findings must not depend on it.
        (alone,) = case.paths(single).values()
        own = together[str(row)]
        same = len(alone) == len(own) and all(torch.equal(one, other) for one, other in zip(alone, own, strict=True))
        promise(same, f"a seed's candidates must be the same alone and in company; those of seed {row} are not")
        spent, shared = int(single[0].model.meter.spent[0]), int(given[0].model.meter.spent[place])
        promise(spent == shared, f"a seed must cost the same alone and in company; seed {row} costs {spent}, {shared}")


def _who_is_unwanted_is_left_out_and_costs_nothing(case: _Case) -> None:
    given, full = case.given(), case.given()
    everyone = case.paths(full)
    found = case.found(given, _without([0, 4], after=1))
    for one in found[2:]:
        promise(not {0, 4} & set(one.seed_index.tolist()), "seeds that are no longer wanted must be left out")
    for name, path in _by_seed(found, given[1].batch.ids).items():
        same = all(torch.equal(one, other) for one, other in zip(path, everyone[name], strict=False))
        promise(same, "a seed's candidates must not depend on which others are wanted")
    spent, kept = given[0].model.meter.spent, torch.tensor([1, 2, 3, 5])
    same = torch.equal(spent[kept], full[0].model.meter.spent[kept])
    promise(same, "what a seed costs must not depend on which others are wanted")
    most = 1 + case.hunter.start_cost + 2 * case.hunter.step_cost(_CLASSES)
    promise((spent[[0, 4]] <= most).all(), "a seed that is no longer wanted must cost nothing more")


def _a_part_of_the_seeds_is_charged_for_itself(case: _Case) -> None:
    part = torch.tensor([2, 3, 4])
    rows = [_ROWS[place] for place in part]
    own, (subject, seeds, streams) = case.given(rows), case.given(rows)
    meter = Meter(len(_ROWS))
    among = replace(subject, model=Metered(subject.model.model, meter).among(part))
    expected, found = case.found(own), case.found((among, seeds, streams))
    promise(len(found) == len(expected), "part of a larger hunt must take as many steps as a hunt of its own")
    for one, other in zip(expected, found, strict=True):
        same = torch.equal(one.inputs, other.inputs) and torch.equal(one.seed_index, other.seed_index)
        promise(same, "part of a larger hunt must propose what a hunt of its own proposes")
    same = torch.equal(meter.spent[part], own[0].model.meter.spent - 1)  # the clean pass was somebody else's
    promise(same, "seeds must be charged by their places in the larger hunt: ask the model through of(rows)")
    promise(int(meter.spent.sum()) == int(meter.spent[part].sum()), "nobody else must be charged")


def _ends_if_nothing_is_wanted(case: _Case) -> None:
    steps = len(case.found(case.given(), _without(list(range(6)), after=0)))
    promise(steps == 1, f"it must end when no seed is wanted any more, but took {steps} steps")


def _no_step_costs_more_than_it_says(case: _Case) -> None:
    given, hunter = case.given(), case.hunter
    spent = given[0].model.meter.spent
    before = [spent.clone()]

    def wanted(step: int) -> Tensor:
        before.append(spent.clone())
        return torch.ones(len(_ROWS), dtype=torch.bool)

    steps = len(case.found(given, wanted))
    costs = torch.stack([*before, spent]).diff(dim=0)
    costs[0] -= hunter.start_cost
    most, each = int(costs.amax()), hunter.step_cost(_CLASSES)
    promise(most <= each, f"no step must cost more than step_cost, {each}, but one costs {most}")
    promise((spent > 1 + hunter.start_cost).all(), "every seed must cost something beyond start_cost")
    # Once more than it proposes, for a hunter may look only to see that it is done.
    total = 1 + hunter.start_cost + (steps + 1) * each
    promise((spent <= total).all(), f"{steps} steps must cost no more than {total} queries")


def _inputs_module_and_random_state_are_left_alone(case: _Case) -> None:
    net = case.net.train()
    weights = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    # A hunter that sets the flags it needs, and forgets what they were, is caught by one that differs.
    frozen = next(net.parameters()).requires_grad_(False)
    given = case.given()
    seen = given[1].batch.inputs, given[1].clean.logits
    before = [tensor.clone() for tensor in seen]
    with random_state_stays():
        case.found(given)
    promise(torch.equal(seen[0], before[0]), "the seeds' inputs must be left as they were")
    promise(torch.equal(seen[1], before[1]), "the clean answers must be left as they were")
    promise(all(part.training for part in net.modules()), "train mode must be left as it was")
    flags = all(one.requires_grad == (one is not frozen) for one in net.parameters())
    promise(flags, "requires_grad must be left as it was")
    promise(all(one.grad is None for one in net.parameters()), "parameters must get no gradient")
    same = all(torch.equal(tensor, weights[name]) for name, tensor in net.state_dict().items())
    promise(same, "weights must be left as they were")


def _draws_as_it_says(case: _Case) -> None:
    subject, seeds, _ = case.given()
    streams = [Streams(run, seeds.batch.ids) for run in (0, 1)]
    first, other = (case.found((subject, seeds, own))[0] for own in streams)
    drawn, said = any(any(own.drawn) for own in streams), case.hunter.draws
    promise(said in (None, drawn), f"draws is {said}, but random numbers were {'drawn' if drawn else 'not drawn'}")
    same = torch.equal(first.inputs, other.inputs)
    promise(not (drawn and same), "a hunter that draws must propose others with another random seed")
    promise(drawn or same, "a hunter that draws nothing must propose the same with another random seed")


def _needs_what_it_says(case: _Case) -> None:
    promise(isinstance(case.hunter.needs, Capability), f"needs must be a Capability, got {case.hunter.needs}")
    promise(case.hunter.width >= 1, f"width must be >= 1, got {case.hunter.width}")
    if case.hunter.needs == Capability.ANSWERS:
        box = BlackBox(lambda x: np.stack([x.mean(axis=(1, 2, 3)), x[:, 0, 0, 0] - 1], axis=1), "box", "logits")
        given = scene([0, 1, 4, 5], box)  # labels 0 and 1: the box knows no others
        promise(case.found(given), "a hunter that needs answers only must hunt a black box")


def _refuses_the_region(case: _Case) -> None:
    name, region = (re.escape(str(describe(one)["name"])) for one in (case.hunter, case.space))
    with refuses(InvalidSetting, rf"^{name} .*, got {region}$", "a region that it does not work in"):
        case.found(case.given())


_CHECKS = (
    _candidates_lie_inside_the_region,
    _the_same_alone_and_in_company,
    _who_is_unwanted_is_left_out_and_costs_nothing,
    _a_part_of_the_seeds_is_charged_for_itself,
    _ends_if_nothing_is_wanted,
    _no_step_costs_more_than_it_says,
    _inputs_module_and_random_state_are_left_alone,
    _draws_as_it_says,
    _needs_what_it_says,
)


def _by_seed(found: list[Candidates], ids: Sequence[str]) -> dict[str, list[Tensor]]:
    paths: dict[str, list[Tensor]] = {name: [] for name in ids}
    for candidates in found:
        for row, owner in enumerate(candidates.seed_index.tolist()):
            paths[ids[owner]].append(candidates.inputs[row])
    return paths


def _without(rows: list[int], after: int) -> Wanted:
    """Want everything up to a step, and then all but these."""

    def wanted(step: int) -> Tensor:
        keep = torch.ones(len(_ROWS), dtype=torch.bool)
        if step >= after:
            keep[rows] = False
        return keep

    return wanted
