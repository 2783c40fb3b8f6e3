"""What an attack is after: any wrong answer, or a chosen one."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Observation

__all__ = ["Goal"]


@dataclass(frozen=True, eq=False)
class Goal:
    """Away from the right class of each seed, or towards its target.

    Parameters
    ----------
    classes : int64 Tensor of shape (N,)
        The right classes, or the targets.
    targeted : bool
        Which of the two they are.
    """

    classes: Tensor
    targeted: bool

    @classmethod
    def of(cls, seeds: Seeds) -> "Goal":
        """Return what the seeds ask for; a target must be one of the model's classes."""
        if seeds.target is None:
            return cls(seeds.expected, targeted=False)
        least, most, classes = int(seeds.target.amin()), int(seeds.target.amax()), seeds.clean.logits.shape[1]
        if least < 0 or most >= classes:
            raise InvalidSetting(f"target must be in [0, {classes - 1}], got {least if least < 0 else most}")
        return cls(seeds.target, targeted=True)

    def __getitem__(self, rows: Tensor) -> "Goal":
        """Return the goal of some of the seeds: row numbers, or a mask."""
        return Goal(self.classes[rows], self.targeted)

    def reached(self, seen: Observation) -> Tensor:
        """Say where the answer is a wrong one, or the target: bool (N,)."""
        same = seen.predicted == self.classes
        return same if self.targeted else ~same

    def loss(self, seen: Observation, classes: Tensor) -> Tensor:
        """Return what an attack raises: cross-entropy of the right class, or the negated one of the target: (N,)."""
        values = cross_entropy(seen.logits, classes, reduction="none")
        return -values if self.targeted else values

    def distance(self, seen: Observation, classes: Tensor) -> Tensor:
        """Return how far the answer is from the goal, in logits: (N,); negative where it is reached."""
        lead = seen.lead(classes)
        return -lead if self.targeted else lead
