"""Ascent in ever smaller balls: the radius of each seed is bisected until it just fails."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import Relative, steepest_step
from unnerve.core.methods import Normed
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._row_sums import row_sums
from unnerve.generate.attacks._selection import broadcast_over, selected
from unnerve.generate.regions.l2 import L2

__all__ = ["nearest"]


@dataclass(frozen=True, eq=False)
class _Bisection:
    """Which seeds are searched, and between which shares of the radius each begins to fall: rows of (N, ...)."""

    rows: Tensor
    centre: Tensor
    goal: Goal
    low: Tensor
    high: Tensor


def nearest(
    subject: Subject[Metered], seeds: Seeds, space: Normed, lengths: list[float], searches: int
) -> Generator[Candidates, Tensor, None]:
    """Yield the failing points of an ascent in the whole ball, then of ``searches`` ascents in smaller ones.

    The gradient at a point comes with the answer to it, so that whether it fails costs nothing more; the last point of
    an ascent is looked at once. An ascent in a smaller ball ends at its first failing point.
    """
    count = len(seeds)
    state = _Bisection(torch.arange(count), seeds.batch.inputs, Goal.of(seeds), torch.zeros(count), torch.ones(count))
    for search in range(searches + 1):
        share = (state.low + state.high) / 2 if search > 0 else state.high
        x, fallen = state.centre.clone(), torch.zeros(len(state.rows), dtype=torch.bool)
        going = torch.ones_like(fallen)
        for place in range(len(lengths) + 1):
            active = going.nonzero().flatten()
            reached, gradient = _looked(subject.model, state, x, active, last=place == len(lengths))
            hit = active[reached]
            fallen[hit] = True
            if search > 0:  # the first ascent goes on behind the border, as far as it can
                going[hit], active, gradient = False, active[~reached], gradient[~reached]
            shown = x[hit]
            if place < len(lengths):
                own = share[active]
                centre = state.centre[active]
                step = steepest_step(space, gradient, centre).mul_(broadcast_over(own * lengths[place], gradient))
                x[active] = _within(space, x[active] + step, centre, own)
            wanted = yield Candidates(shown, state.rows[hit], search * (len(lengths) + 1) + place)
            # All steps are numbered, also those that nobody takes: else a seed's numbers would depend on its company.
            if not bool(wanted.any()):
                return
            going &= wanted[state.rows]
        bounds = torch.where(fallen, state.low, share), torch.where(fallen, share, state.high)
        # A seed that did not fail in the whole ball is not tried in a smaller one.
        kept = wanted[state.rows] & (fallen if search == 0 else torch.ones_like(fallen))
        state = selected(_Bisection(state.rows, state.centre, state.goal, *bounds), kept)
        if len(state.rows) == 0:
            return


def _looked(model: Metered, state: _Bisection, x: Tensor, some: Tensor, last: bool) -> tuple[Tensor, Tensor]:
    """Return which fail already, bool (A,), and the gradients (A, ...): zeros at the last point, which goes nowhere."""
    if len(some) == 0:
        return torch.zeros(0, dtype=torch.bool), x[some]
    goal, asked = state.goal[some], model.of(state.rows[some])
    if last:
        return goal.reached(asked.observe(x[some])), torch.zeros_like(x[some])
    _, gradient, seen = asked.gradient(x[some], goal.loss, goal.classes)
    return goal.reached(seen), gradient


def _within(space: Normed, x: Tensor, centre: Tensor, share: Tensor) -> Tensor:
    """Return points brought into each one's share of the ball."""
    change, reach = x - centre, broadcast_over(share * space.reach, x)
    if isinstance(space, Relative):
        reach = reach * space.scale(centre)
    if isinstance(space, L2 | Relative):
        length = broadcast_over(row_sums(change.square()).sqrt(), x)
        change = change * (reach / length.clamp_min(1e-12)).clamp_max(1)
    else:
        change = change.clamp(-reach, reach)
    return space.project(centre + change, centre)
