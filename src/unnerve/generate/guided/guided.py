"""The driver that joins a search and an objective: neither knows of the other."""

from collections.abc import Generator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from unnerve.core.data.conversion import perturbed
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Perturbation, Referenced, Search, SearchSpace, Space
from unnerve.core.model import Capability
from unnerve.core.protocols.objectives import Meeting, Objective, Staged
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided._cube import Cube
from unnerve.generate.guided._met import MetMembers
from unnerve.generate.objectives.margin import Margin
from unnerve.generate.searches.pso import PSO

__all__ = ["Guided"]


@dataclass(frozen=True)
class Guided:
    """Search the region for inputs with a high objective; each iteration proposes each seed's best so far.

    Of an objective whose values can be compared within one iteration only, the best of that iteration; of one that says
    which candidates show what is looked for (``uncommon``), those, the best first.

    Parameters
    ----------
    search : Search
        ``pso``, ``genetic``, ``differential_evolution``, ``random``.
    objective : Objective
        ``margin``, ``sensitive_neurons``, ``excitable_neurons``, ``uncommon``.
    encoding : Perturbation or None
        Search the parameters of this perturbation (``patch``) instead of the values of the input.
    enough : float or None
        A seed whose best value exceeds this is done (DeepSensor's epsilon); None to go on to the search's own end.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022.
    """

    search: Search = field(default_factory=PSO)
    objective: Objective = field(default_factory=Margin)
    encoding: Perturbation | None = None
    enough: float | None = None
    regions = None
    draws = True
    small = (
        "search=pso(particles=6,iterations=5)",
        "search=genetic(population=6,iterations=5,mutation=0.1)",
        "search=differential_evolution(population=6,iterations=5,crossover=0.8)",
        "search=random(population=6,iterations=5),encoding=patch",
    )

    @property
    def referenced(self) -> bool:
        """Whether the objective compares with reference data."""
        return isinstance(self.objective, Referenced) and self.objective.referenced

    @property
    def needs(self) -> Capability:
        """What the objective asks of a model."""
        return self.objective.needs

    @property
    def width(self) -> int:
        """Rows per seed and step."""
        return self.search.width

    @property
    def start_cost(self) -> int:
        """Queries per seed before the first step: those of the objective."""
        return self.objective.start_cost

    def step_cost(self, classes: int) -> int:
        """Most queries per seed and step."""
        return self.search.width * self.objective.cost(classes)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the best input so far of every seed still wanted, once per iteration."""
        fitness = self.objective.prepare(subject, seeds)
        rows = torch.arange(len(seeds))
        search = self.search.points(*self._searched(space, seeds, streams))
        points, step = next(search), 0
        champion = seeds.batch.inputs.clone()
        record = torch.full((len(seeds),), float("-inf"), dtype=torch.float64)
        staged = isinstance(self.objective, Staged) and self.objective.staged
        members = MetMembers(len(seeds))
        while True:
            x = self._decoded(points, seeds, rows, space)
            values = fitness(x, rows)
            top = values.max(dim=1)
            # The best so far is proposed, not the best of this iteration: a swarm moves on from good places, and what
            # it had found would be lost. Not so where values of two iterations may belong to two pieces of a function:
            # a champion of the first piece would outdo all that come after it.
            better = torch.ones_like(rows, dtype=torch.bool) if staged else top.values > record[rows]
            risen = rows[better]
            record[risen] = top.values[better].double()
            champion[risen] = x[better, top.indices[better]]
            if isinstance(fitness, Meeting):
                wanted = yield members.proposed(x, values, fitness.met, rows, step)
            else:
                wanted = yield Candidates(champion[rows], rows, step)
            keep = wanted[rows]
            if self.enough is not None:
                # Not >=: the papers stop above 1, which a share of neurons never is, so that by default nothing stops
                # early.
                keep &= record[rows] <= self.enough
            rows, step = rows[keep], step + 1
            if len(rows) == 0:
                return
            try:
                points = search.send((values, keep))
            except StopIteration:
                return

    def _searched(self, space: Space, seeds: Seeds, streams: Streams) -> tuple[SearchSpace, Tensor, Streams]:
        centre = seeds.batch.inputs
        if self.encoding is None:
            return space, centre, streams
        size = self.encoding.dimensions(tuple(centre.shape[1:]))
        # The middle of the cube stands for the seed: a search that starts at its centre has nowhere better to start
        # among parameters.
        return Cube(), centre.new_full((len(centre), size), 0.5), streams

    def _decoded(self, points: Tensor, seeds: Seeds, rows: Tensor, space: Space) -> Tensor:
        if self.encoding is None:
            return points
        centre = seeds.batch.inputs[rows]
        held = seeds.batch.value_range
        return space.project(perturbed(self.encoding, centre, points, held), centre)
