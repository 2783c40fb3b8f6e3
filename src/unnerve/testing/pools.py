"""What is asked of every hunter that owns a pool."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.methods import Lineal, Space
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.core.pools import Pool, PoolHunter, PoolState
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.promises import promise, random_state_stays, refuses
from unnerve.testing.scene import scene, tiny_net

__all__ = ["check_pool_hunter"]

_ROWS = [3, 8, 20, 30, 36, 5]
_STEPS = 6
_BUDGET = 60

Wanted = Callable[[int], Tensor]
Between = Callable[[PoolState], PoolState]


@dataclass(frozen=True, eq=False)
class _Case:
    """A pool hunter in a region, and six small images."""

    hunter: PoolHunter
    space: Space
    net: nn.Module = field(default_factory=tiny_net)

    def begun(self, seed: int = 0, model: Classifier | None = None, budget: int | None = None) -> Pool:
        """Return the pool before the first step; the clean pass is paid."""
        subject, seeds, _ = scene(_ROWS, TorchModule(self.net, "tiny") if model is None else model)
        meter = Meter(len(_ROWS), budget, shared=True)
        # The clean pass, as a run charges it before the pool begins: a budget that forgot it would be one query too
        # large.
        meter.spent += 1
        peers = tuple(Metered(TorchModule(tiny_net(seed), "peer"), meter) for seed in (9, 10))
        context = replace(subject.context, peers=peers)
        everyone = torch.ones(len(_ROWS), dtype=torch.bool)
        metered = Subject(Metered(subject.model.model, meter), context)
        return Pool(metered, seeds, self.space, Streams(seed, ["pool"]), everyone)

    def steps(self, pool: Pool, wanted: Wanted | None = None, between: Between | None = None) -> list[Candidates]:
        """Return what is proposed in the first steps."""
        found: list[Candidates] = []
        state = self.hunter.begin(pool)
        for step in range(_STEPS):
            now = replace(pool, step=step, wanted=pool.wanted if wanted is None else wanted(step))
            state = state if between is None else between(state)
            candidates = self.hunter.step(now, state)
            if candidates is None:
                break
            found.append(_copied(candidates))
        promise(found, "it must propose something in its first step")
        return found


def check_pool_hunter(hunter: PoolHunter, space: Space) -> None:
    """Raise an AssertionError that says what a pool hunter promises and does not keep in a region."""
    case = _Case(hunter, space)
    if hunter.regions is not None and describe(space)["name"] not in hunter.regions:
        with refuses(InvalidSetting, f", got {describe(space)['name']}$", "a region that it does not work in"):
            case.steps(case.begun())
        return
    for check in _CHECKS:
        check(case)


def _candidates_lie_inside_the_region(case: _Case) -> None:
    pool = case.begun()
    centre = pool.seeds.batch.inputs
    for one in case.steps(pool):
        shape, wanted = tuple(one.inputs.shape), (len(one), 1, 8, 8)
        promise(shape == wanted, f"candidates must be like the seeds, {wanted}, got {shape}")
        promise(one.inputs.dtype == torch.float32, f"candidates must be float32, got {one.inputs.dtype}")
        promise(one.seed_index.dtype == torch.int64, f"seed_index must be int64, got {one.seed_index.dtype}")
        origin = centre[one.seed_index]
        if isinstance(case.space, Lineal) and one.parameters is not None:
            promise(case.space.permits(one.parameters).all(), "parameters must lie inside their bounds")
            origin = case.space.origins(origin, one.parameters)
        promise(case.space.contains(one.inputs, origin).all(), "candidates must lie inside the region")


def _everything_that_outlives_a_step_is_in_the_state(case: _Case) -> None:
    def stored(state: PoolState) -> PoolState:
        # Through numpy and JSON, as through a file: whatever a hunter keeps elsewhere is lost.
        tensors = {name: torch.from_numpy(one.numpy().copy()) for name, one in state.tensors.items()}
        return PoolState(tensors, json.loads(json.dumps(state.values)))

    undisturbed, resumed = (case.steps(case.begun(), between=between) for between in (None, stored))
    promise(_same(undisturbed, resumed), "a pool that was stored between steps must go on as if it had not been")


def _pools_know_nothing_of_each_other(case: _Case) -> None:
    alone = [case.steps(case.begun(seed)) for seed in (0, 1)]
    pools = [case.begun(seed) for seed in (0, 1)]
    # Both are begun before either goes on: what begin resets outside the state is then the other's.
    states = [case.hunter.begin(pool) for pool in pools]
    together: list[list[Candidates]] = [[], []]
    for step in range(_STEPS):
        for found, pool, state in zip(together, pools, states, strict=True):
            if len(found) == step:
                candidates = case.hunter.step(replace(pool, step=step), state)
                found.extend([] if candidates is None else [_copied(candidates)])
    same = all(_same(one, other) for one, other in zip(alone, together, strict=True))
    promise(same, "two pools whose steps alternate must each go on as if alone: keep everything in the state")


def _seeds_that_left_are_left_alone(case: _Case) -> None:
    def wanted(step: int) -> Tensor:
        keep = torch.ones(len(_ROWS), dtype=torch.bool)
        if step >= 2:
            keep[[0, 4]] = False
        return keep

    for one in case.steps(case.begun(), wanted)[2:]:
        promise(not {0, 4} & set(one.seed_index.tolist()), "seeds that have left the pool must be left alone")


def _the_budget_ends_it(case: _Case) -> None:
    pool = case.begun(budget=_BUDGET)
    meter = pool.subject.model.meter
    state, step = None, 0
    try:
        state = case.hunter.begin(pool)
        while case.hunter.step(replace(pool, step=step), state) is not None and step < _BUDGET * len(_ROWS):
            step += 1
    except BudgetSpent:
        pass
    spent = int(meter.spent.sum())
    promise(spent <= _BUDGET * len(_ROWS), f"a pool must not spend more than its budget, but spent {spent}")
    promise(spent > len(_ROWS), "passes must be charged: ask the model through of(rows)")


def _random_numbers_decide(case: _Case) -> None:
    first, again, other = (case.steps(case.begun(seed)) for seed in (0, 0, 1))
    promise(_same(first, again), "the same random seed must give the same candidates")
    drew = case.begun()
    case.steps(drew)
    differs = not _same(first, other)
    promise(differs == any(drew.streams.drawn), "another random seed must give others if, and only if, it draws")


def _inputs_module_and_random_state_are_left_alone(case: _Case) -> None:
    net = case.net.train()
    weights = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    pool = case.begun()
    before = pool.seeds.batch.inputs.clone(), pool.seeds.clean.logits.clone()
    with random_state_stays():
        case.steps(pool)
    promise(torch.equal(pool.seeds.batch.inputs, before[0]), "the seeds' inputs must be left as they were")
    promise(torch.equal(pool.seeds.clean.logits, before[1]), "the clean answers must be left as they were")
    promise(all(part.training for part in net.modules()), "train mode must be left as it was")
    promise(all(one.grad is None for one in net.parameters()), "parameters must get no gradient")
    same = all(torch.equal(tensor, weights[name]) for name, tensor in net.state_dict().items())
    promise(same, "weights must be left as they were")


def _needs_what_it_says(case: _Case) -> None:
    promise(isinstance(case.hunter.needs, Capability), f"needs must be a Capability, got {case.hunter.needs}")
    if case.hunter.needs == Capability.ANSWERS:
        box = BlackBox(lambda x: np.stack([x[:, 0, 0, place] for place in range(4)], axis=1), "box", "logits")
        case.steps(case.begun(model=box))


_CHECKS = (
    _candidates_lie_inside_the_region,
    _everything_that_outlives_a_step_is_in_the_state,
    _pools_know_nothing_of_each_other,
    _seeds_that_left_are_left_alone,
    _the_budget_ends_it,
    _random_numbers_decide,
    _inputs_module_and_random_state_are_left_alone,
    _needs_what_it_says,
)


def _copied(candidates: Candidates) -> Candidates:
    """Return candidates that the next step leaves alone."""
    return replace(candidates, inputs=candidates.inputs.clone(), seed_index=candidates.seed_index.clone())


def _same(first: list[Candidates], second: list[Candidates]) -> bool:
    return len(first) == len(second) and all(
        torch.equal(one.inputs, other.inputs) and torch.equal(one.seed_index, other.seed_index)
        for one, other in zip(first, second, strict=True)
    )
