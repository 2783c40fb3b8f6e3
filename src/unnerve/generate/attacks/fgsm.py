"""The fast gradient sign method (Goodfellow et al., ICLR 2015)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.metering import Metered
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.generate.attacks._ascent import ascent, ball

__all__ = ["FGSM"]


@dataclass(frozen=True)
class FGSM:
    """One step from the seed to the edge of the region, where the loss rises fastest: along signs in linf.

    In l2 the step follows the gradient itself (the fast gradient method).

    References
    ----------
    Goodfellow et al., "Explaining and Harnessing Adversarial Examples", 2015, Section 4.
    """

    needs = Capability.GRADIENTS
    width = 1

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one point per seed."""
        region = ball(space, "fgsm")
        return ascent(subject, seeds, region, seeds.batch.inputs.clone(), [region.reach])
