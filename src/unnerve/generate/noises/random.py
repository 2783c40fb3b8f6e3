"""Random noise: a uniform point of the region in every iteration (the baseline of every hunter)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises._blind import blind, check_iterations

__all__ = ["Random"]


@dataclass(frozen=True)
class Random:
    """Points drawn from the region, whatever the model says.

    Parameters
    ----------
    iterations : int
        Tries per seed, >= 1.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    iterations: int = 100
    needs = Capability.ANSWERS
    width = 1
    blind = True
    regions = None
    draws = True
    start_cost = 0
    small = ("iterations=5",)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step."""
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one point of the region per seed and iteration."""

        def draw(rows: Tensor, step: int) -> Tensor:
            return space.samples(seeds.batch.inputs[rows], streams[rows.tolist()], step, 1).squeeze(1)

        return blind(subject, seeds, self.iterations, draw)
