"""The basic iterative method (Kurakin et al., ICLR workshop 2017)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ascent, ball, check_step, check_steps
from unnerve.generate.attacks._nearest import nearest

__all__ = ["BIM"]


@dataclass(frozen=True)
class BIM:
    """Small steps of the fast gradient method from the seed, projected back into the region after each.

    Parameters
    ----------
    steps : int
        >= 1.
    step : float or None
        Length of a step in the region's norm; 1.25 times the radius over ``steps`` if None, for the paper goes as
        many steps of a grey level as lead 1.25 times as far as the radius.
    searches : int
        Further radii that are tried for each seed that fell, >= 0: bisected towards the smallest at which it still
        falls, with steps in proportion, as Foolbox does by default. What is found there is proposed if it is nearer.

    References
    ----------
    Kurakin et al., "Adversarial Examples in the Physical World", 2017.
    """

    steps: int = 10
    step: float | None = None
    searches: int = 0
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    draws = False
    start_cost = 0
    small = ("steps=5", "steps=3,searches=2")

    def __post_init__(self) -> None:
        check_steps(self.steps)
        check_step(self.step)
        if self.searches < 0:
            raise InvalidSetting(f"searches must be >= 0, got {self.searches}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step; with ``searches`` those that fail, in every ball."""
        region = ball(self, space)
        length = self.step if self.step is not None else 1.25 * region.reach / self.steps
        lengths = [length] * self.steps
        if self.searches == 0:
            return ascent(subject, seeds, region, seeds.batch.inputs.clone(), lengths)
        return nearest(subject, seeds, region, lengths, self.searches)
