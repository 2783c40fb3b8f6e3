"""The basic iterative method (Kurakin et al., ICLR workshop 2017)."""

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

    References
    ----------
    Kurakin et al., "Adversarial Examples in the Physical World", 2017.
    """

    steps: int = 10
    step: float | None = None
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    draws = False
    start_cost = 0
    small = ("steps=5",)

    def __post_init__(self) -> None:
        check_steps(self.steps)
        check_step(self.step)

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step."""
        region = ball(self, space)
        length = self.step if self.step is not None else 1.25 * region.reach / self.steps
        return ascent(subject, seeds, region, seeds.batch.inputs.clone(), [length] * self.steps)
