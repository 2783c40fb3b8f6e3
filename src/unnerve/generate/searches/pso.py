"""Particle swarm optimisation (Kennedy and Eberhart, ICNN 1995), as DeepSensor uses it (Jin et al., 2022, Eqs. 3-8)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Space
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
        w, changed linearly; the papers raise it from 0.4 to 0.9.
    start : str
        ``random``: within ``start_speed`` of the seed; ``fixed``: at the seed.
    start_speed, top_speed : float
        Largest first and later change of a value per iteration.

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
    start: str = "random"
    start_speed: float = 0.1
    top_speed: float = 0.7

    def __post_init__(self) -> None:
        for name in ("particles", "iterations"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if self.start not in ("random", "fixed"):
            raise InvalidSetting(f"start must be random or fixed, got '{self.start}'")
        for name in ("start_speed", "top_speed"):
            if not getattr(self, name) > 0:
                raise InvalidSetting(f"{name} must be > 0, got {getattr(self, name)}")

    @property
    def width(self) -> int:
        """Points per seed and step."""
        return self.particles

    def points(self, space: Space, centre: Tensor, streams: Streams) -> Generator[Tensor, tuple[Tensor, Tensor], None]:
        """Yield places (A, P, ...); be sent (fitness (A, P), keep (A,))."""
        swarm = (self.particles, *centre.shape[1:])
        velocity = streams.coarse(0, 1, swarm).mul_(2).sub_(1).mul_(self.start_speed)
        x = centre.unsqueeze(1).expand(-1, *swarm).clone()
        if self.start == "random":
            x.add_(streams.coarse(0, 0, swarm).mul_(2).sub_(1).mul_(self.start_speed))
            space.project(x, centre)
        best, best_fitness = x.clone(), torch.full(x.shape[:2], float("-inf"))
        pull = torch.empty_like(x)
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
            velocity.mul_(self._inertia(step))
            torch.sub(best, x, out=pull)
            velocity.addcmul_(pull, streams.coarse(step, 0, swarm), value=self.own_pull)
            torch.sub(leader, x, out=pull)
            velocity.addcmul_(pull, streams.coarse(step, 1, swarm), value=self.swarm_pull)
            x.add_(velocity.clamp_(-self.top_speed, self.top_speed))
            space.project(x, centre)

    def _inertia(self, step: int) -> float:
        share = (step - 1) / max(1, self.iterations - 1)
        return self.inertia_start + share * (self.inertia_end - self.inertia_start)
