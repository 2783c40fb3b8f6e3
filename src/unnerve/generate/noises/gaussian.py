"""Gaussian noise, projected into the region (Hendrycks and Dietterich, ICLR 2019)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises._blind import blind, check_iterations

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian:
    """Normal noise on every value, projected into the region.

    Parameters
    ----------
    deviation : float
        Standard deviation, > 0, as a share of the range of values.
    iterations : int
        Tries per seed, >= 1.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    deviation: float = 0.1
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
        if not self.deviation > 0:
            raise InvalidSetting(f"deviation must be > 0, got {self.deviation}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step."""
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one noisy input per seed and iteration."""
        size = self.deviation * seeds.span

        def draw(rows: Tensor, step: int) -> Tensor:
            centre = seeds.batch.inputs[rows]
            noise = streams[rows.tolist()].normal(step, 0, tuple(centre.shape[1:])).mul_(size)
            return space.project(noise.add_(centre), centre)

        return blind(subject, seeds, self.iterations, draw)
