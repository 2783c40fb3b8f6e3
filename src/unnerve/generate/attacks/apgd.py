"""Auto-PGD: gradient steps with momentum whose length finds itself (Croce and Hein, ICML 2020)."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS, steepest_step
from unnerve.core.methods import Normed, Space
from unnerve.core.model import Capability, Loss, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball, check_steps
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._selection import broadcast_over, selected

__all__ = ["APGD"]


@dataclass(frozen=True)
class APGD:
    r"""Climb the loss from a random point with momentum; halve the step and go back to the best point if it stalls.

    .. math:: z = P(x_k + \eta \, s(\nabla f(x_k))), \quad x_{k+1} = P(x_k + 0.75 (z - x_k) + 0.25 (x_k - x_{k-1}))

    with :math:`\eta` twice the radius at first. At checkpoints, ever closer to each other, it is halved if the loss
    rose in less than three quarters of the steps since the last one, or if neither it nor the best loss has changed.

    Parameters
    ----------
    loss : str
        ``ce``, cross-entropy; or ``dlr``, the difference of logits ratio between the right class and one target
        after the other: needs four classes or more.
    steps : int
        For each target, >= 1.
    targets : int
        Most probable wrong classes that ``dlr`` turns to one by one, >= 1; seeds with a target have that one.

    References
    ----------
    Croce and Hein, "Reliable Evaluation of Adversarial Robustness with an Ensemble of Diverse Parameter-Free
    Attacks", 2020, Algorithm 1 and Eq. 7.
    """

    loss: str = "ce"
    steps: int = 100
    targets: int = 9
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    draws = True
    start_cost = 0
    small = ("steps=5", "loss=dlr,steps=3,targets=2")

    def __post_init__(self) -> None:
        if self.loss not in ("ce", "dlr"):
            raise InvalidSetting(f"loss must be ce or dlr, got '{self.loss}'")
        check_steps(self.steps)
        if self.targets < 1:
            raise InvalidSetting(f"targets must be >= 1, got {self.targets}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point of every step."""
        region, rows, step = ball(self, space), torch.arange(len(seeds)), 0
        checkpoints = _checkpoints(self.steps)
        for start, (loss, classes) in enumerate(self._aims(seeds)):
            centre = seeds.batch.inputs[rows]
            x = region.samples(centre, streams[rows.tolist()], start, 1).squeeze(1)
            # The first steps may cross the whole ball: they are halved as soon as they no longer help.
            climb = _Climb.begun(rows, x, centre, classes[rows], 2 * region.reach)
            for taken in range(self.steps):
                values, gradient, _ = subject.model.of(climb.rows).gradient(climb.x, loss, climb.classes)
                climb.note(values, gradient)
                wanted = yield Candidates(climb.x, climb.rows, step)
                climb, step = selected(climb, wanted[climb.rows]), step + 1
                if len(climb.rows) == 0:
                    return
                if taken in checkpoints:
                    climb.check(checkpoints[taken])
                # The first step has no earlier one whose direction it could keep.
                climb.move(region, 0.75 if taken else 1.0)
            rows = climb.rows

    def _aims(self, seeds: Seeds) -> Iterator[tuple[Loss, Tensor]]:
        """Yield one loss after the other with the classes it is about, (N,) or (N, 2)."""
        goal, logits = Goal.of(seeds), seeds.clean.logits
        if self.loss == "ce":
            yield goal.loss, goal.classes
            return
        # The ratio is scaled by the third and the fourth logit.
        if logits.shape[1] < 4:
            raise InvalidSetting(f"apgd with loss dlr needs at least 4 classes, got {logits.shape[1]}")
        rivals = logits.scatter(1, seeds.expected.unsqueeze(1), -torch.inf).argsort(dim=1, descending=True)
        # The last of the rivals is the right answer itself.
        targets = [goal.classes] if goal.targeted else rivals[:, :-1].unbind(dim=1)[: self.targets]
        for target in targets:
            yield _ratio, torch.stack([seeds.expected, target], dim=1)


@dataclass(eq=False)
class _Climb:
    """Where the climbers are.

    Parameters
    ----------
    rows : int64 Tensor of shape (A,)
    x, old, centre, gradient, best, best_gradient : Tensor of shape (A, ...)
        Here, one step ago, at the seed; the slope here; the best point so far and the slope there.
    classes : Tensor of shape (A, ...)
    length, value, best_value, mark : Tensor of shape (A,)
        Of a step; the loss here, at the best point, and there at the last checkpoint.
    rises : int64 Tensor of shape (A,)
        Steps since the last checkpoint in which the loss rose.
    halved : bool Tensor of shape (A,)
        Whether the step was halved at the last checkpoint.
    """

    rows: Tensor
    x: Tensor
    old: Tensor
    centre: Tensor
    gradient: Tensor
    best: Tensor
    best_gradient: Tensor
    classes: Tensor
    length: Tensor
    value: Tensor
    best_value: Tensor
    mark: Tensor
    rises: Tensor
    halved: Tensor

    @classmethod
    def begun(cls, rows: Tensor, x: Tensor, centre: Tensor, classes: Tensor, length: float) -> "_Climb":
        least = torch.full((len(x),), -torch.inf)
        return cls(
            rows,
            x,
            x.clone(),
            centre,
            gradient=torch.zeros_like(x),
            best=x.clone(),
            best_gradient=torch.zeros_like(x),
            classes=classes,
            length=torch.full_like(least, length),
            value=least,
            best_value=least.clone(),
            mark=least.clone(),
            rises=torch.zeros_like(rows),
            halved=torch.zeros_like(rows, dtype=torch.bool),
        )

    def note(self, values: Tensor, gradient: Tensor) -> None:
        """Take note of loss and slope at ``x``."""
        # Nothing can have risen at the first point: it is what the first checkpoint compares with.
        first = self.mark.isinf()
        self.rises += (values > self.value) & ~first
        better = values > self.best_value
        self.best[better], self.best_gradient[better] = self.x[better], gradient[better]
        self.value, self.gradient = values, gradient
        self.best_value = self.best_value.maximum(values)
        self.mark = torch.where(first, values, self.mark)

    def check(self, steps: int) -> None:
        """Halve the steps of those that did not get on in the last ``steps``, and send them back to their best."""
        # A climb that was halved just now has had no time to find a better point.
        stalled = (self.rises < 0.75 * steps) | (~self.halved & (self.best_value == self.mark))
        self.length = torch.where(stalled, self.length / 2, self.length)
        self.x = torch.where(broadcast_over(stalled, self.x), self.best, self.x)
        self.gradient = torch.where(broadcast_over(stalled, self.x), self.best_gradient, self.gradient)
        self.value = torch.where(stalled, self.best_value, self.value)
        self.halved, self.mark, self.rises = stalled, self.best_value.clone(), torch.zeros_like(self.rises)

    def move(self, region: Normed, share: float) -> None:
        """Take a step: so much of the way to where the slope leads, the rest of it where the last one led."""
        ahead = steepest_step(region, self.gradient, self.centre).mul_(broadcast_over(self.length, self.x)).add_(self.x)
        ahead = region.project(ahead, self.centre).sub_(self.x).mul_(share)
        ahead.add_(self.x).add_(self.x.sub(self.old), alpha=1 - share)
        self.x, self.old = region.project(ahead, self.centre), self.x


def _ratio(seen: Observation, classes: Tensor) -> Tensor:
    """Return the targeted difference of logits ratio (Eq. 7), from right classes and targets (N, 2): (N,)."""
    own, target = seen.logits.gather(1, classes).unbind(dim=1)
    first, _, third, fourth = seen.logits.topk(4, dim=1).values.unbind(dim=1)
    return (target - own) / (first - (third + fourth) / 2 + 1e-12)


def _checkpoints(steps: int) -> dict[int, int]:
    """Return after which steps progress is looked at, each with the steps since the one before."""
    shares = [0.0, 0.22]
    while shares[-1] < 1:
        shares.append(shares[-1] + max(shares[-1] - shares[-2] - 0.03, 0.06))
    # Sums of shares are a little off, and must not be rounded up to one step more for that.
    places = [ceil(share * steps - 1e-9) for share in shares]
    return {after: after - before for before, after in pairwise(places) if before < after < steps}
