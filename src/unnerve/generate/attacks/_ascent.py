"""What bim and pgd share: steps of steepest ascent of the loss inside a ball."""

from collections.abc import Generator

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import require_region, steepest_step
from unnerve.core.methods import Hunter, Normed, Space
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._goal import Goal

__all__ = ["ascent", "ball", "check_step", "check_steps"]


def ascent(
    subject: Subject[Metered], seeds: Seeds, space: Normed, x: Tensor, lengths: list[float]
) -> Generator[Candidates, Tensor, None]:
    """Yield the point after every step, one of each of these lengths; starts at ``x``, which is overwritten."""
    goal, rows, centre = Goal.of(seeds), torch.arange(len(seeds)), seeds.batch.inputs
    for step, length in enumerate(lengths):
        _, gradient, _ = subject.model.of(rows).gradient(x, goal.loss, goal.classes)
        x = space.project(x.add_(steepest_step(space, gradient, centre), alpha=length), centre)
        wanted = yield Candidates(x, rows, step)
        keep = wanted[rows]
        if not bool(keep.all()):
            rows, x, centre, goal = rows[keep], x[keep], centre[keep], goal[keep]
        if len(rows) == 0:
            return


def ball(hunter: Hunter, space: Space) -> Normed:
    """Return the region as the ball of a norm, or raise if the hunter does not work in it."""
    require_region(hunter, space)
    assert isinstance(space, Normed)
    return space


def check_steps(steps: int) -> None:
    """Raise unless there is at least one step."""
    if steps < 1:
        raise InvalidSetting(f"steps must be >= 1, got {steps}")


def check_step(step: float | None) -> None:
    """Raise unless the length of a step, if it is given, is positive."""
    if step is not None and not step > 0:
        raise InvalidSetting(f"step must be > 0, got {step}")
