"""Differential evolution (Storn and Price, 1997), as the one-pixel attack uses it (Su et al., 2019)."""

from collections.abc import Generator
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import SearchSpace
from unnerve.core.streams import Streams

__all__ = ["DifferentialEvolution"]


@dataclass(frozen=True)
class DifferentialEvolution:
    """Every point is challenged by one point plus a scaled difference of two others; the better one stays.

    Parameters
    ----------
    population : int
        P per seed, >= 4 (the one-pixel attack's 400).
    iterations : int
        Generations, >= 1 (its 100).
    scale : float
        F, > 0 (its 0.5).
    crossover : float
        Probability that a coordinate comes from the challenger, in ``(0, 1]`` (its 1: no crossover); one drawn
        coordinate always does.

    References
    ----------
    Su et al., "One Pixel Attack for Fooling Deep Neural Networks", 2019.
    """

    population: int = 400
    iterations: int = 100
    scale: float = 0.5
    crossover: float = 1.0
    small = ("population=7,iterations=6,crossover=0.7",)

    def __post_init__(self) -> None:
        for name, least in (("population", 4), ("iterations", 1)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
        if not self.scale > 0:
            raise InvalidSetting(f"scale must be > 0, got {self.scale}")
        if not 0 < self.crossover <= 1:
            raise InvalidSetting(f"crossover must be in (0, 1], got {self.crossover}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.population

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield challengers (A, P, ...), first the population itself; be sent (fitness (A, P), keep (A,))."""
        x = trial = space.samples(centre, streams, 0, self.population)
        # The first population is yielded as challengers of nothing, so that one branch serves all generations.
        fitness = torch.full(x.shape[:2], float("-inf"))
        for generation in range(1, self.iterations + 1):
            challenge, keep = yield trial
            # The last answers are asked for only so that whoever drives the search sees them; nothing is made of them.
            if generation == self.iterations:
                return
            better = challenge > fitness
            x = torch.where(better.view(*better.shape, *[1] * (x.ndim - 2)), trial, x)
            fitness = torch.where(better, challenge, fitness)
            if not bool(keep.all()):
                x, fitness, centre = x[keep], fitness[keep], centre[keep]
                streams = streams[keep.nonzero().flatten().tolist()]
            trial = space.project(self._challengers(x, streams, generation), centre)

    def _challengers(self, x: Tensor, streams: Streams, generation: int) -> Tensor:
        # Shifts of 1 to P - 1 make the three others differ from the point itself; each other by a distinct shift.
        order = streams.coarse(generation, 0, (self.population, self.population - 1)).topk(3, dim=2).indices + 1
        others = (torch.arange(self.population).view(1, -1, 1) + order) % self.population
        rows = torch.arange(len(x)).unsqueeze(1)
        one, two, three = (x[rows, others[..., place]] for place in range(3))
        trial = one + self.scale * (two - three)
        if self.crossover == 1:
            return trial
        taken = streams.coarse(generation, 1, tuple(x.shape[1:])) < self.crossover
        # One coordinate always comes from the challenger: else it may be the point itself, and a pass is wasted.
        chosen = streams.uniform(generation, 2, (self.population, 1)).double().mul(prod(x.shape[2:])).long()
        taken.flatten(2).scatter_(2, chosen, True)
        return torch.where(taken, trial, x)
