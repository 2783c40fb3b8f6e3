"""The classification margin: how far the best wrong class leads (a baseline; Carlini and Wagner, 2017, f6)."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.model import Capability
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["Margin"]


@dataclass(frozen=True)
class Margin:
    """Largest wrong logit minus the right one, positive for an error; right is the label, or the clean answer.

    If the seeds have targets: the target's logit minus the largest other one.

    References
    ----------
    Carlini and Wagner, "Towards Evaluating the Robustness of Neural Networks", 2017.
    """

    needs = Capability.ANSWERS
    start_cost = 0

    def cost(self, classes: int) -> int:
        """Return the queries per candidate: one forward pass."""
        return 1

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Return fitness(candidates (A, P, ...), rows (A,)) -> (A, P)."""
        classes, sign = (seeds.expected, -1) if seeds.target is None else (seeds.target, 1)

        def fitness(candidates: Tensor, rows: Tensor) -> Tensor:
            owners = rows.repeat_interleave(candidates.shape[1])
            seen = subject.model.of(owners).observe(candidates.flatten(0, 1))
            return seen.lead(classes[owners]).mul_(sign).view(candidates.shape[:2])

        return fitness
