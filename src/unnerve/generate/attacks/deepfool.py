"""DeepFool: step by step across the nearest linearised boundary (Moosavi-Dezfooli et al., CVPR 2016)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS
from unnerve.core.methods import Normed, Space
from unnerve.core.model import Capability, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball, check_steps
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._row_sums import row_sums
from unnerve.generate.attacks._selection import broadcast_over

__all__ = ["DeepFool"]

_CLEAR = 2e-4
"""How far across a boundary is far enough, in logits: twice what a campaign's judge asks for."""


@dataclass(frozen=True)
class DeepFool:
    r"""Look for the smallest change: take the model for linear, step just across its nearest boundary, repeat.

    .. math:: r_i = \frac{|f'_l|}{\|w'_l\|_q^q} |w'_l|^{q-1} \odot sign(w'_l),
        \quad l = argmin_{k \neq k_0} \frac{|f'_k|}{\|w'_k\|_q}

    where f' and w' are the differences of logits and gradients from those of the right class (Eqs. 8, 9 and 10); q = 2
    in l2 and 1 in linf. A seed that is answered wrongly is done. With a target, the boundary is the one between
    the target and the strongest other class.

    Parameters
    ----------
    steps : int
        >= 1.
    overshoot : float
        How much farther than across the boundary, >= 0 (the paper's eta).
    candidates : int
        Classes that are looked at, the right one included, by the clean answer; >= 2.

    References
    ----------
    Moosavi-Dezfooli et al., "DeepFool: A Simple and Accurate Method to Fool Deep Neural Networks", 2016.
    """

    steps: int = 50
    overshoot: float = 0.02
    candidates: int = 10
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    draws = False
    start_cost = 0
    small = ("steps=5",)

    def __post_init__(self) -> None:
        check_steps(self.steps)
        if not self.overshoot >= 0:
            raise InvalidSetting(f"overshoot must be >= 0, got {self.overshoot}")
        if self.candidates < 2:
            raise InvalidSetting(f"candidates must be >= 2, got {self.candidates}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: forward, backward for each rival, and forward at the new point."""
        return 1 + min(self.candidates, classes)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step, until it is across."""
        region, goal = ball(self, space), Goal.of(seeds)
        rows, centre, x = torch.arange(len(seeds)), seeds.batch.inputs, seeds.batch.inputs.clone()
        classes = self._classes(seeds, goal)
        there = goal.reached(seeds.clean)
        for step in range(self.steps):
            model = subject.model.of(rows)
            values, gradients, _ = model.gradient(x, _lead if goal.targeted else _leads, classes)
            gradients = gradients.view(len(rows), -1, *x.shape[1:])
            held = _held(x, region.limits(centre), gradients)
            across = _across(values.view(len(rows), -1), gradients, held, region, seeds.span)
            across[there] = 0
            # Differs: each step starts where the last one was cut off at the edge of the region or of valid values;
            # the paper adds up whole steps. Shorter and surer (measured); the same where nothing is cut off.
            x = region.project(x.add_(across, alpha=1 + self.overshoot), centre)
            # Differs: across by a little more than nothing, or the error would not be one on another processor.
            there = goal.distance(model.observe(x), goal.classes) < -_CLEAR
            wanted = yield Candidates(x, rows, step)
            keep = wanted[rows] & ~there
            if not bool(keep.all()):
                rows, x, centre = rows[keep], x[keep], centre[keep]
                goal, classes, there = goal[keep], classes[keep], there[keep]
            if len(rows) == 0:
                return

    def _classes(self, seeds: Seeds, goal: Goal) -> Tensor:
        """Return the target (N,), or the right class and its strongest rivals (N, K)."""
        if goal.targeted:
            return goal.classes
        own, logits = goal.classes.unsqueeze(1), seeds.clean.logits
        rivals = logits.scatter(1, own, float("-inf")).topk(min(self.candidates, logits.shape[1]) - 1, dim=1).indices
        return torch.cat([own, rivals], dim=1)


def _leads(seen: Observation, classes: Tensor) -> Tensor:
    """Return by how much each rival leads over the right class, the first one: (N, K - 1)."""
    chosen = seen.logits.gather(1, classes)
    return chosen[:, 1:] - chosen[:, :1]


def _lead(seen: Observation, classes: Tensor) -> Tensor:
    return seen.lead(classes)


def _held(x: Tensor, limits: tuple[Tensor, Tensor], gradients: Tensor) -> Tensor:
    """Say which values of ``x``, (N, ...), lie on a limit and cannot follow each of the gradients (N, K, ...)."""
    least, most = (x <= limits[0]).unsqueeze(1), (x >= limits[1]).unsqueeze(1)
    return (least & (gradients < 0)) | (most & (gradients > 0))


def _across(values: Tensor, gradients: Tensor, held: Tensor, region: Normed, width: float) -> Tensor:
    """Return the shortest step, (N, ...), across one of K boundaries.

    From values (N, K), gradients (N, K, ...) and the width of the range of the inputs' values.
    """
    units = region.steepest(gradients.flatten(0, 1)).view_as(gradients)
    # What a step of length one along the steepest direction gains is the dual norm of the gradient ...
    gains = gradients * units
    slopes = row_sums(gains.flatten(0, 1)).view_as(values)
    # Differs: ... less the share of the values that are held at a limit. Where that is more than half the step is made
    # longer, so that it covers half of the way; else steps come to nothing next to a limit. Not all of the way:
    # the model is linearised anew after every step, and shorter ones end nearer to the seed (measured, by 2 to 7 %).
    movable = row_sums(gains.masked_fill_(held, 0).flatten(0, 1)).view_as(values)
    reached = slopes.minimum(2 * movable).clamp_min(1e-12 / width)
    lengths = values.abs() / reached
    nearest = lengths.argmin(dim=1, keepdim=True)
    # Differs: a ten-thousandth of the range farther, as in the authors' program, lest steps become too small to
    # arrive; in l2 the values that can move are so much of it as the root says.
    length = lengths.gather(1, nearest) + 1e-4 * width * (slopes / reached).gather(1, nearest).sqrt_()
    return units[torch.arange(len(values)), nearest[:, 0]].mul_(broadcast_over(length, gradients[:, 0]))
