"""Projected gradient descent (Madry et al., ICLR 2018)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ascent, ball, check_step, check_steps

__all__ = ["PGD"]


@dataclass(frozen=True)
class PGD:
    """Steps of steepest ascent of the loss, or of descent of the target's, projected back into the region after each.

    Parameters
    ----------
    steps : int
        >= 1.
    step : float or None
        Length of a step in the region's norm; 2.5 times the radius over ``steps`` if None.
    random_start : bool
        Start at a random point of the region instead of the seed.

    References
    ----------
    Madry et al., "Towards Deep Learning Models Resistant to Adversarial Attacks", 2018.
    """

    steps: int = 40
    step: float | None = None
    random_start: bool = True
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    start_cost = 0
    small = ("steps=5",)

    def __post_init__(self) -> None:
        check_steps(self.steps)
        check_step(self.step)

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
        region, centre = ball(self, space), seeds.batch.inputs
        length = self.step if self.step is not None else 2.5 * region.reach / self.steps
        start = region.samples(centre, streams, 0, 1).squeeze(1) if self.random_start else centre.clone()
        return ascent(subject, seeds, region, start, [length] * self.steps)
