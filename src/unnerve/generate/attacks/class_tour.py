"""A tour of the wrong classes: by gradient to the nearest one that was not reached yet, then on to the next."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS, steepest_step
from unnerve.core.methods import Space
from unnerve.core.model import Capability, Loss, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball, check_step, check_steps
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._row_sums import row_sums

__all__ = ["ClassTour"]

_NEVER = -1e9
_STAY = 1e6
_TRIED = -1e3


@dataclass(frozen=True)
class ClassTour:
    r"""Visit as many wrong classes as possible from each seed, instead of the nearest one again and again.

    Every step climbs :math:`z_c - \max_{j \ne c} z_j - a z_y` with momentum, where :math:`c` is the class last aimed
    at, or, once that is reached or was aimed at for ``patience`` steps in vain, the most likely class that was not
    reached yet and was given up least often; :math:`y` is the right answer and :math:`a` is ``away``.

    Parameters
    ----------
    steps : int
        >= 1.
    step : float
        Length of a step, as a share of the region's radius, > 0.
    momentum : float
        Share of the last direction that is kept, in [0, 1).
    patience : int
        Steps towards one class before another one gets its turn, >= 1.
    away : float
        How much the right answer's own logit is pushed down on the way, >= 0: more errors between the classes.
    random_start : bool
        Start at a random point of the region instead of the seed.

    References
    ----------
    unnerve, decision 020; after Moosavi-Dezfooli et al., "DeepFool", 2016 (nearest class) and Dong et al., "Boosting
    Adversarial Attacks with Momentum", 2018.
    """

    steps: int = 100
    step: float = 0.25
    momentum: float = 0.75
    patience: int = 16
    away: float = 0.25
    random_start: bool = True
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    start_cost = 0
    small = ("steps=5",)

    def __post_init__(self) -> None:
        check_steps(self.steps)
        check_step(self.step)
        if self.patience < 1:
            raise InvalidSetting(f"patience must be >= 1, got {self.patience}")
        if not 0 <= self.momentum < 1:
            raise InvalidSetting(f"momentum must be in [0, 1), got {self.momentum}")
        if self.away < 0:
            raise InvalidSetting(f"away must be >= 0, got {self.away}")

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers: for its start only."""
        return self.random_start

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step."""
        space = ball(self, space)
        rows, centre, loss = torch.arange(len(seeds)), seeds.batch.inputs, _towards(self.away)
        x = space.samples(centre, streams, 0, 1).squeeze(1) if self.random_start else centre.clone()
        path, speed = _Path.begun(seeds), torch.zeros_like(x)
        for step in range(self.steps):
            appeal = path.appeal(self.patience)
            # As targets of the loss, so that micro-batches split appeal and right answer together with x.
            _, gradient, seen = subject.model.of(rows).gradient(x, loss, torch.cat([appeal, path.right], dim=1))
            turned = path.moved(seen, appeal)
            # The momentum leads towards the class that was given up, and would carry x past the new one.
            speed[turned] = 0
            speed = speed.mul_(self.momentum).add_(_evened(gradient, 1e-12 / seeds.span))
            x = space.project(x.add_(steepest_step(space, speed, centre), alpha=self.step * space.reach), centre)
            wanted = yield Candidates(x, rows, step)
            keep = wanted[rows]
            if not bool(keep.all()):
                rows, x, centre, speed, path = rows[keep], x[keep], centre[keep], speed[keep], path.kept(keep)
            if len(rows) == 0:
                return


@dataclass
class _Path:
    """Where each of N seeds has been and is heading.

    Parameters
    ----------
    right : Tensor of shape (N, 1)
        The right answer, as a float: it travels with the appeal to the loss.
    reached : bool Tensor of shape (N, C)
    given_up : Tensor of shape (N, C)
        How often each class was aimed at in vain.
    aim, age : int64 Tensors of shape (N,)
        The class aimed at (-1 for none yet), and for how many steps.
    """

    right: Tensor
    reached: Tensor
    given_up: Tensor
    aim: Tensor
    age: Tensor

    @classmethod
    def begun(cls, seeds: Seeds) -> "_Path":
        """Nothing but the right answer is reached; with a target, nothing but the target is left to reach."""
        right = seeds.expected.unsqueeze(1)
        goal = Goal.of(seeds)
        reached = torch.full(seeds.clean.logits.shape, goal.targeted).scatter_(
            1, goal.classes.unsqueeze(1), not goal.targeted
        )
        count = len(seeds)
        return cls(right.float(), reached, torch.zeros(reached.shape), torch.full((count,), -1), torch.zeros(count))

    def appeal(self, patience: int) -> Tensor:
        """Return what is added to the logits before the largest is aimed at, (N, C)."""
        stale = (self.aim >= 0) & (self.age >= patience)
        self.given_up[stale, self.aim[stale]] += 1
        appeal = (self.given_up * _TRIED).masked_fill_(self.reached, _NEVER)
        # The nearest class changes from step to step: without this no class would be followed to its end.
        faithful = (self.aim >= 0) & ~stale
        faithful &= ~self.reached.gather(1, self.aim.clamp(min=0).unsqueeze(1)).squeeze(1)
        appeal[faithful, self.aim[faithful]] = _STAY
        self.aim = torch.where(stale, -1, self.aim)
        return appeal

    def moved(self, seen: Observation, appeal: Tensor) -> Tensor:
        """Note which class was found and which one the gradient aimed at; return for whom that changed, bool (N,)."""
        aim = _aim(seen.logits, appeal)
        turned = aim != self.aim
        self.reached.scatter_(1, seen.predicted.unsqueeze(1), True)
        self.aim, self.age = aim, torch.where(turned, 0, self.age) + 1
        return turned

    def kept(self, keep: Tensor) -> "_Path":
        """Return some of the seeds."""
        return _Path(*(column[keep] for column in (self.right, self.reached, self.given_up, self.aim, self.age)))


def _towards(away: float) -> Loss:
    def loss(seen: Observation, targets: Tensor) -> Tensor:
        appeal, right = targets[:, :-1], targets[:, -1:].long()
        # Which class is aimed at is a choice, not a value that could be differentiated.
        aim = _aim(seen.logits.detach(), appeal)
        return seen.lead(aim) - away * seen.logits.gather(1, right).squeeze(1)

    return loss


def _aim(logits: Tensor, appeal: Tensor) -> Tensor:
    """Return the class to aim at; the one that is the answer now is reached already."""
    answer = logits.argmax(dim=1, keepdim=True)
    return (logits + appeal).scatter(1, answer, float("-inf")).argmax(dim=1)


def _evened(gradient: Tensor, least: float) -> Tensor:
    """Return gradients of mean absolute value one, so that momentum weighs all steps alike."""
    size = (row_sums(gradient.abs()) / gradient[0].numel()).clamp_(min=least)
    return gradient / size.view(-1, *[1] * (gradient.ndim - 1))
