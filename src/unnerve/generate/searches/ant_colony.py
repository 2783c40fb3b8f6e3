"""Ant colony optimisation for continuous domains (Socha and Dorigo, EJOR 2008)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import SearchSpace
from unnerve.core.streams import Streams

__all__ = ["AntColony"]


@dataclass(frozen=True)
class AntColony:
    r"""Ants walk near the good places of an archive: each value is drawn around one of them.

    A place of rank r is chosen with the weight of a normal density of width :math:`q k` at r; each value is then drawn
    around it with :math:`\xi` times the mean distance of the archive from it in that coordinate.

    Parameters
    ----------
    ants : int
        P per seed, >= 2: the archive holds as many places (k).
    iterations : int
        >= 1.
    locality : float
        q, > 0: the smaller, the more the best places are preferred.
    evaporation : float
        xi, > 0: the larger, the farther ants walk, and the longer bad places are remembered.

    References
    ----------
    Socha and Dorigo, "Ant colony optimization for continuous domains", 2008.
    """

    ants: int = 100
    iterations: int = 20
    locality: float = 0.1
    evaporation: float = 0.85
    small = ("ants=7,iterations=6",)

    def __post_init__(self) -> None:
        for name, least in (("ants", 2), ("iterations", 1)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
        for name in ("locality", "evaporation"):
            if not getattr(self, name) > 0:
                raise InvalidSetting(f"{name} must be > 0, got {getattr(self, name)}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.ants

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield ants (A, P, ...), first the archive itself; be sent (fitness (A, P), keep (A,))."""
        ants = space.samples(centre, streams, 0, self.ants)
        archive, values = ants[:, :0], torch.empty(len(ants), 0)
        for iteration in range(1, self.iterations + 1):
            fitness, keep = yield ants
            if iteration == self.iterations:
                return
            archive, values = _best(torch.cat([archive, ants], dim=1), torch.cat([values, fitness], dim=1), self.ants)
            if not bool(keep.all()):
                archive, values, centre = archive[keep], values[keep], centre[keep]
                streams = streams[keep.nonzero().flatten().tolist()]
            ants = space.project(self._walked(archive, streams, iteration), centre)

    def _walked(self, archive: Tensor, streams: Streams, iteration: int) -> Tensor:
        ranks = torch.arange(self.ants, dtype=torch.float64)
        weight = torch.exp(-ranks.square() / (2 * (self.locality * self.ants) ** 2))
        steps = (weight / weight.sum()).cumsum(0)
        drawn = streams.uniform(iteration, 0, (self.ants,)).double()
        guides = torch.searchsorted(steps, drawn.contiguous()).clamp_max_(self.ants - 1)
        rows = torch.arange(len(archive)).unsqueeze(1)
        guide = archive[rows, guides]
        # The mean distance of the archive from each of its places, place by place: all at once would need an archive
        # squared of images.
        far = torch.stack([(archive - archive[:, place : place + 1]).abs().sum(dim=1) for place in range(self.ants)], 1)
        reach = far[rows, guides].mul_(self.evaporation / max(1, self.ants - 1))
        return guide.addcmul_(reach, streams.normal(iteration, 1, tuple(archive.shape[1:])))


def _best(places: Tensor, values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the best of the places, (A, count, ...), and their values, the best first."""
    best = values.argsort(dim=1, descending=True, stable=True)[:, : min(count, values.shape[1])]
    return places[torch.arange(len(places)).unsqueeze(1), best], values.gather(1, best)
