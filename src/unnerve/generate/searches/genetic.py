"""A genetic algorithm (Holland, 1975), with the settings of Zhang et al., "KuK", ICSE 2020."""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from unnerve.core.data.ranges import span
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import SearchSpace
from unnerve.core.streams import Streams

__all__ = ["Genetic"]


@dataclass(frozen=True)
class Genetic:
    """Tournaments choose parents, children take each pixel from one of them, a few values mutate, the best survives.

    The paper states population, crossover and mutation rates; tournament size, elitism and the law of the mutations
    are ours.

    Parameters
    ----------
    population : int
        P per seed, >= 2.
    iterations : int
        Generations, >= 1.
    crossover : float
        Probability that a pixel comes from the second parent, in ``[0, 1]``.
    mutation : float
        Probability that a value mutates, in ``[0, 1]``.
    mutation_size : float
        Standard deviation of a mutation, > 0, as a share of the range of values.
    tournament : int
        Rivals for the place of a parent, >= 1.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """

    population: int = 100
    iterations: int = 50
    crossover: float = 0.5
    mutation: float = 0.005
    mutation_size: float = 0.1
    tournament: int = 5
    small = ("population=7,iterations=6,mutation=0.1,tournament=2",)

    def __post_init__(self) -> None:
        for name, least in (("population", 2), ("iterations", 1), ("tournament", 1)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
        for name in ("crossover", "mutation"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidSetting(f"{name} must be in [0, 1], got {getattr(self, name)}")
        if not self.mutation_size > 0:
            raise InvalidSetting(f"mutation_size must be > 0, got {self.mutation_size}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.population

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield populations (A, P, ...); be sent (fitness (A, P), keep (A,))."""
        x = space.samples(centre, streams, 0, self.population)
        for generation in range(1, self.iterations + 1):
            fitness, keep = yield x
            if generation == self.iterations:
                return
            if not bool(keep.all()):
                x, fitness, centre = x[keep], fitness[keep], centre[keep]
                streams = streams[keep.nonzero().flatten().tolist()]
            rows = torch.arange(len(x)).unsqueeze(1)
            mothers, fathers = (x[rows, self._winners(fitness, streams, generation, draw)] for draw in (0, 1))
            # A pixel comes from one parent with all its channels: channels of two parents would make a colour that
            # neither has.
            pixels = (self.population, 1, *x.shape[3:]) if x.ndim > 3 else (self.population, *x.shape[2:])
            children = torch.where(streams.coarse(generation, 2, pixels) < self.crossover, fathers, mothers)
            space.project(self._mutated(children, streams, generation, span(space)), centre)
            # After mutation, so that the best of a generation goes on unchanged: without that the best fitness could
            # fall.
            children[:, 0] = x[rows.squeeze(1), fitness.argmax(dim=1)]
            x = children

    def _winners(self, fitness: Tensor, streams: Streams, generation: int, draw: int) -> Tensor:
        """Return the winner of one tournament per child, (A, P)."""
        rivals = (streams.coarse(generation, draw, (self.population, self.tournament)) * self.population).long()
        scores = fitness.unsqueeze(1).expand(-1, self.population, -1).gather(2, rivals)
        return rivals.gather(2, scores.argmax(dim=2, keepdim=True)).squeeze(2)

    def _mutated(self, x: Tensor, streams: Streams, generation: int, width: float) -> Tensor:
        if self.mutation == 0:
            return x
        hit = self._hits(streams, generation, tuple(x.shape[1:]))
        x[hit] += _dealt(hit, partial(streams.normal, generation, 5)) * (self.mutation_size * width)
        return x

    def _hits(self, streams: Streams, generation: int, shape: tuple[int, ...]) -> Tensor:
        """Return which values mutate, bool (A, *shape)."""
        steps = self.mutation * 2**16
        chance = streams.coarse(generation, 3, shape) * 2**16
        hit = chance < math.floor(steps)
        # Coarse numbers cannot tell rates that differ by less than 2**-16, nor any below it from zero: the few values
        # on the border draw a second, finer number for what is left of the rate.
        border = chance == math.floor(steps)
        hit[border] = _dealt(border, partial(streams.uniform, generation, 4)) < steps % 1
        return hit


def _dealt(places: Tensor, draw: Callable[[tuple[int, ...]], Tensor]) -> Tensor:
    """Return one number for each True of a mask (A, ...), in order; a seed's depend on its own places alone."""
    counts = places.flatten(1).sum(dim=1, keepdim=True)
    numbers = draw((int(counts.amax()),)) if counts.numel() else torch.empty(0, 0)
    return numbers[torch.arange(numbers.shape[1]) < counts]
