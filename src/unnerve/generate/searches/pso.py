"""Particle swarm optimisation (Kennedy and Eberhart, ICNN 1995), as DeepSensor uses it (Jin et al., 2022, Eqs. 3-8)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.ranges import span
from unnerve.core.errors import InvalidSetting
from unnerve.core.fitting import steepest_step
from unnerve.core.methods import Normed, SearchSpace
from unnerve.core.streams import Streams

__all__ = ["PSO"]


@dataclass(frozen=True)
class PSO:
    """Particles that are pulled towards their own best place and towards the swarm's.

    Parameters
    ----------
    particles : int
        P per seed, >= 1 (the papers' NUM).
    iterations : int
        >= 1 (the papers' Gk).
    own_pull, swarm_pull : float
        c1 and c2.
    inertia_start, inertia_end : float
        w at the first and at the last move, changed linearly; the papers raise it from 0.4 to 0.9.
    start : str
        ``edge``: as far from the seed as the region allows, in random ``blocks`` (anywhere in a space that is no
        ball). ``uniform``: anywhere in the region, as the other searches start. As in the papers: ``random``, within
        ``start_speed`` of the seed, or ``fixed``, at the seed.
    blocks : int
        With ``edge``: blocks of equal change along each axis but the first (channels), >= 1. Noise of single pixels
        is averaged away inside a network, noise of blocks is not.
    start_speed, top_speed : float
        Largest first and later change of a value per iteration, as a share of the range of values.
    draws : str
        A random number for each ``value`` of a pull, or one for each ``particle``.

    References
    ----------
    Kennedy and Eberhart, "Particle swarm optimization", 1995.
    """

    particles: int = 100
    iterations: int = 20
    own_pull: float = 2.0
    swarm_pull: float = 2.0
    inertia_start: float = 0.4
    inertia_end: float = 0.9
    start: str = "edge"
    blocks: int = 7
    start_speed: float = 0.1
    top_speed: float = 0.7
    draws: str = "value"
    small = ("particles=7,iterations=6",)

    def __post_init__(self) -> None:
        for name in ("particles", "iterations", "blocks"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if self.start not in ("edge", "uniform", "random", "fixed"):
            raise InvalidSetting(f"start must be edge, uniform, random or fixed, got '{self.start}'")
        if self.draws not in ("value", "particle"):
            raise InvalidSetting(f"draws must be value or particle, got '{self.draws}'")
        for name in ("start_speed", "top_speed"):
            if not getattr(self, name) > 0:
                raise InvalidSetting(f"{name} must be > 0, got {getattr(self, name)}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.particles

    def points(
        self, space: SearchSpace, centre: Tensor, streams: Streams
    ) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield places (A, P, ...); be sent (fitness (A, P), keep (A,))."""
        x = self._start(space, centre, streams)
        velocity = _signed(streams.coarse(0, 2, tuple(x.shape[1:]))).mul_(self.start_speed * span(space))
        drawn = tuple(x.shape[1:]) if self.draws == "value" else (self.particles, *[1] * (x.ndim - 2))
        best, best_fitness = x.clone(), torch.full(x.shape[:2], float("-inf"))
        # One buffer for both pulls: measured, with new tensors for every term an update takes ten times as long.
        pull, top = torch.empty_like(x), self.top_speed * span(space)
        for step in range(1, self.iterations + 1):
            fitness, keep = yield x
            improved = fitness > best_fitness
            best[improved] = x[improved]
            best_fitness = torch.where(improved, fitness, best_fitness)
            if step == self.iterations:
                return
            if not bool(keep.all()):
                x, velocity, best, best_fitness, centre = (
                    part[keep] for part in (x, velocity, best, best_fitness, centre)
                )
                streams, pull = streams[keep.nonzero().flatten().tolist()], torch.empty_like(x)
            leader = best[torch.arange(len(best)), best_fitness.argmax(dim=1)].unsqueeze(1)
            # In place, term by term: this update is Eq. 7 of the paper, and the whole swarm stays in the processor's
            # cache.
            velocity.mul_(self._inertia(step))
            torch.sub(best, x, out=pull)
            velocity.addcmul_(pull, streams.coarse(step, 0, drawn), value=self.own_pull)
            torch.sub(leader, x, out=pull)
            velocity.addcmul_(pull, streams.coarse(step, 1, drawn), value=self.swarm_pull)
            x.add_(velocity.clamp_(-top, top))
            space.project(x, centre)

    def _start(self, space: SearchSpace, centre: Tensor, streams: Streams) -> Tensor:
        swarm = (self.particles, *centre.shape[1:])
        if self.start == "fixed":
            return centre.unsqueeze(1).expand(-1, *swarm).clone()
        if self.start == "random":
            offset = _signed(streams.coarse(0, 0, swarm)).mul_(self.start_speed * span(space))
        elif self.start == "edge" and isinstance(space, Normed):
            # Noise of single pixels averages out in the first convolution; blocks reach the edge of the region in a
            # direction that the network can see.
            blocks = _in_blocks(streams, swarm, self.blocks)
            owners = centre.repeat_interleave(self.particles, dim=0)
            offset = steepest_step(space, blocks.flatten(0, 1), owners).mul_(space.reach).view_as(blocks)
        else:
            return space.samples(centre, streams, 0, self.particles)
        return space.project(offset.add_(centre.unsqueeze(1)), centre)

    def _inertia(self, step: int) -> float:
        # Eq. 3 raises inertia from 0.4 to 0.9, where others lower it; with the ends exchanged it is lowered here too.
        share = (step - 1) / max(1, self.iterations - 2)
        return self.inertia_start + share * (self.inertia_end - self.inertia_start)


def _in_blocks(streams: Streams, shape: tuple[int, ...], blocks: int) -> Tensor:
    """Draw numbers in [-1, 1) for particles (P, channels, ...), equal within blocks: (A, *shape)."""
    sizes = shape[2:]
    noise = _signed(streams.coarse(0, 0, (*shape[:2], *(min(blocks, size) for size in sizes))))
    for axis, size in enumerate(sizes, start=3):
        noise = noise.index_select(axis, torch.arange(size) * noise.shape[axis] // size)
    return noise


def _signed(numbers: Tensor) -> Tensor:
    """Turn numbers in [0, 1) into numbers in [-1, 1), in place."""
    return numbers.mul_(2).sub_(1)
