"""The Square attack: random squares that are kept if they help (Andriushchenko et al., ECCV 2020)."""

from collections.abc import Generator
from dataclasses import dataclass
from math import sqrt

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
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._selection import broadcast_over
from unnerve.generate.attacks._squares import hills, inside, lengths, placed, tiles
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf

__all__ = ["Square"]

_DRAWN_AT_ONCE = 50
_HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)


@dataclass(frozen=True)
class Square:
    """Change one square of the image at a time, at random, and keep the change if the answer comes nearer to the goal.

    In linf the change starts as vertical stripes, and a square sets each channel to one end of the region. In l2 it
    starts as tiles of hills and valleys, and a square moves length from one window into another. It sees answers only.

    Parameters
    ----------
    iterations : int
        Tries per seed, >= 1.
    share : float
        Of the image that the first squares cover, in (0, 1) (p); halved after 10, 50, 200, 500, 1000, 2000, 4000, 6000
        and 8000 tries out of 10,000.

    References
    ----------
    Andriushchenko et al., "Square Attack: A Query-Efficient Black-Box Adversarial Attack via Random Search", 2020.
    """

    iterations: int = 5000
    share: float = 0.8
    needs = Capability.ANSWERS
    width = 1
    regions = ("linf", "l2")
    axes = 3  # of one input
    draws = True
    start_cost = 0
    small = ("iterations=5",)

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InvalidSetting(f"iterations must be >= 1, got {self.iterations}")
        if not 0 < self.share < 1:
            raise InvalidSetting(f"share must be in (0, 1), got {self.share}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward pass."""
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield every point that is nearer to the goal than those before."""
        rows, centre, goal = torch.arange(len(seeds)), seeds.batch.inputs, Goal.of(seeds)
        require_region(self, space)
        assert isinstance(space, Linf | L2)
        if centre.ndim != 4:
            raise InvalidSetting(f"square needs images of shape (C, H, W), got {tuple(centre.shape[1:])}")
        x = best = _start(centre, space, streams)
        least = torch.full((len(rows),), torch.inf)
        draws = torch.empty((len(seeds), _DRAWN_AT_ONCE, 5 + centre.shape[1]))
        for step in range(self.iterations):
            if step > 0:
                place = (step - 1) % _DRAWN_AT_ONCE
                if place == 0:
                    # A stream costs more to make than to read from: numbers for many steps come at once.
                    draws[rows] = streams[rows.tolist()].uniform(step, 0, tuple(draws.shape[1:]))
                x = _squared(best, centre, space, self._side(step, centre.shape, space), draws[rows, place])
            far = goal.distance(subject.model.of(rows).observe(x), goal.classes)
            better = far < least
            best, least = torch.where(broadcast_over(better, x), x, best), least.minimum(far)
            # A point farther from the goal than the best so far fails only if that one does: it need not be judged.
            wanted = yield Candidates(x[better], rows[better], step)
            keep = wanted[rows]
            if not bool(keep.all()):
                rows, centre, goal, best, least = rows[keep], centre[keep], goal[keep], best[keep], least[keep]
            if len(rows) == 0:
                return

    def _side(self, step: int, shape: torch.Size, space: Linf | L2) -> int:
        """Return the side of the square of this step."""
        halvings = sum(step * 10_000 // self.iterations > limit for limit in _HALVINGS)
        side = max(1, round(sqrt(self.share * 0.5**halvings * shape[-2] * shape[-1])))
        if isinstance(space, L2):
            # The hills of L2 have a middle, and so need an odd side.
            side = max(3, side + 1 - side % 2)
        # A square as large as the image would leave no place to choose.
        return max(1, min(side, shape[-2] - 1, shape[-1] - 1))


def _start(centre: Tensor, space: Linf | L2, streams: Streams) -> Tensor:
    """Return stripes, or tiles: like ``centre``, (N, C, H, W)."""
    channels, width = centre.shape[1], centre.shape[3]
    if isinstance(space, Linf):
        stripes = _signs(streams.uniform(0, 0, (channels, 1, width))).mul_(space.radius)
        return space.project(stripes + centre, centre)
    draws = streams.uniform(0, 0, (25, channels + 1))
    return _ended(tiles(_signs(draws[:, :, 1:]), draws[:, :, 0] < 0.5, centre.shape), centre, space)


def _squared(best: Tensor, centre: Tensor, space: Linf | L2, side: int, draws: Tensor) -> Tensor:
    """Return the images with one square changed; ``draws`` are uniform, (N, 5 + C)."""
    corner, other, turned, signs = draws[:, :2], draws[:, 2:4], draws[:, 4] < 0.5, _signs(draws[:, 5:, None, None])
    here = inside(corner, side, centre.shape)
    if isinstance(space, Linf):
        return space.project((signs * here).mul_(2 * space.radius).add_(best), centre)
    change = best - centre
    there = inside(other, side, centre.shape)
    fresh = placed(hills(side), corner, turned, centre.shape) * signs
    fresh += change * here / (lengths(change * here, 2) + 1e-12)
    # What the two windows have, and what the whole image may still have, goes into the first one.
    spare = (space.radius**2 - lengths(change, 3).square_()).clamp_min_(0) / centre.shape[1]
    size = (spare + lengths(change * (here | there), 2).square_()).sqrt_()
    fresh *= size / (lengths(fresh, 2) + 1e-12)
    return _ended(torch.where(here, fresh, change.masked_fill_(there, 0)), centre, space)


def _ended(change: Tensor, centre: Tensor, space: L2) -> Tensor:
    """Return the points at the end of the region in the direction of ``change``."""
    return space.project(change.mul_(space.radius / (lengths(change, 3) + 1e-12)).add_(centre), centre)


def _signs(uniform: Tensor) -> Tensor:
    return (uniform < 0.5).float().mul_(2).sub_(1)
