"""The fast gradient sign method (Goodfellow et al., ICLR 2015)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS, steepest_step
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball
from unnerve.generate.attacks._goal import Goal

__all__ = ["FGSM"]


@dataclass(frozen=True)
class FGSM:
    """One step from the seed to the edge of the region, where the loss rises fastest: along signs in linf.

    In l2 the step follows the gradient itself (the fast gradient method).

    Parameters
    ----------
    lengths : int
        Steps that are tried along this one direction, >= 1: so many parts of the radius, the shortest first. With
        many of them the first one that fails is the smallest change of its kind.

    References
    ----------
    Goodfellow et al., "Explaining and Harnessing Adversarial Examples", 2015, Section 4.
    """

    lengths: int = 1
    needs = Capability.GRADIENTS
    width = 1
    one_step = True
    regions = BALLS
    draws = False
    start_cost = 0
    small = ("", "lengths=3")

    def __post_init__(self) -> None:
        if self.lengths < 1:
            raise InvalidSetting(f"lengths must be >= 1, got {self.lengths}")

    def step_cost(self, classes: int) -> int:
        """Return the most queries per seed and step: at first one forward and one backward pass, then one per try."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one point per seed and length."""
        region, goal, rows = ball(self, space), Goal.of(seeds), torch.arange(len(seeds))
        centre = seeds.batch.inputs
        _, gradient, _ = subject.model.of(rows).gradient(centre, goal.loss, goal.classes)
        direction = steepest_step(region, gradient, centre).mul_(region.reach)
        for step in range(self.lengths):
            if step > 0:
                subject.model.charge(rows, 1)
            x = region.project(centre.add(direction, alpha=(step + 1) / self.lengths), centre)
            wanted = yield Candidates(x, rows, step)
            keep = wanted[rows]
            rows, centre, direction = rows[keep], centre[keep], direction[keep]
            if len(rows) == 0:
                return
