"""Natural changes, drawn at random up to a severity (Hendrycks and Dietterich, ICLR 2019)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import require_region
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.regions.semantic import Semantic

__all__ = ["Natural"]


@dataclass(frozen=True)
class Natural:
    """Try natural changes of every seed: which ones and how severe, the region ``semantic`` says.

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
    regions = ("semantic",)
    draws = True
    start_cost = 0
    small = ("iterations=5",)

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InvalidSetting(f"iterations must be >= 1, got {self.iterations}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step."""
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one changed input per seed and iteration, with the parameters of its change."""
        require_region(self, space)
        assert isinstance(space, Semantic)
        inputs, rows = seeds.batch.inputs, torch.arange(len(seeds))
        # All at once: making a random generator for every seed and iteration takes longer than many changes do.
        parameters = space.parameters(streams, 0, self.iterations, tuple(inputs.shape[1:]))
        for step in range(self.iterations):
            # The answer is never looked at here, but in an arena a try without a query would be free.
            subject.model.charge(rows, 1)
            own = parameters[rows, step]
            wanted = yield Candidates(space.origins(inputs[rows], own), rows, step, own)
            rows = rows[wanted[rows]]
            if len(rows) == 0:
                return
