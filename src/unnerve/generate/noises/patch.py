"""Random 2x2 patches, as NSATP and PEACEPACT try them (Zhang et al., DSA 2019; Li et al., QRS 2020)."""

from collections.abc import Generator
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.data.conversion import perturbed
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises._blind import blind, check_iterations
from unnerve.generate.perturbations.patch import Patch as PatchPerturbation

__all__ = ["Patch"]


@dataclass(frozen=True)
class Patch:
    """One block of pixels overwritten at a random place, projected into the region.

    Parameters
    ----------
    size : int
        Side of the block, >= 1.
    colour : str
        ``random`` or ``invert``.
    iterations : int
        Tries per seed, >= 1 (the papers' M).

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """

    size: int = 2
    colour: str = "random"
    iterations: int = 100
    needs = Capability.ANSWERS
    width = 1
    blind = True
    regions = None
    axes = 3  # of one input
    draws = True
    start_cost = 0
    small = ("iterations=5",)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        PatchPerturbation(self.size, self.colour)  # its rules are ours

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step."""
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield one patched input per seed and iteration."""
        block, shape = PatchPerturbation(self.size, self.colour), tuple(seeds.batch.inputs.shape[1:])
        # All at once: making a random generator for every seed and iteration takes longer than the patches do.
        parameters = block.draw(streams, 0, self.iterations, shape)

        def draw(rows: Tensor, step: int) -> Tensor:
            centre = seeds.batch.inputs[rows]
            made = perturbed(block, centre, parameters[rows, step : step + 1], seeds.batch.value_range)
            return space.project(made.squeeze(1), centre)

        return blind(subject, seeds, self.iterations, draw)
