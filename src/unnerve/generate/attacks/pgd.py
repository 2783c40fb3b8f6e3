"""Projected gradient descent (Madry et al., ICLR 2018)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.metering import Metered
from unnerve.core.methods import Normed, Space
from unnerve.core.model import Capability, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject

__all__ = ["PGD"]


@dataclass(frozen=True)
class PGD:
    """Steps of steepest ascent of the loss, projected back into the region after each.

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

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InvalidSetting(f"steps must be >= 1, got {self.steps}")
        if self.step is not None and not self.step > 0:
            raise InvalidSetting(f"step must be > 0, got {self.step}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward and one backward pass."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step."""
        if not isinstance(space, Normed):
            raise InvalidSetting(f"pgd works in linf or l2, got {type(space).__name__.lower()}")
        rows, centre, expected = torch.arange(len(seeds)), seeds.batch.inputs, seeds.expected
        length = self.step if self.step is not None else 2.5 * space.reach / self.steps
        x = space.samples(centre, streams, 0, 1).squeeze(1) if self.random_start else centre.clone()
        for step in range(self.steps):
            _, gradient, _ = subject.model.of(rows).gradient(x, _loss, expected)
            x = space.project(x.add_(space.steepest(gradient), alpha=length), centre)
            wanted = yield Candidates(x, rows, step)
            keep = wanted[rows]
            if not bool(keep.all()):
                rows, x, centre, expected = rows[keep], x[keep], centre[keep], expected[keep]
            if len(rows) == 0:
                return


def _loss(seen: Observation, targets: Tensor) -> Tensor:
    return cross_entropy(seen.logits, targets, reduction="none")
