"""The Euclidean ball: the change as a whole is no longer than a radius."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import check_bounds, check_radius

__all__ = ["L2"]


@dataclass(frozen=True)
class L2:
    """Inputs within Euclidean distance ``radius`` of the seed, and inside ``[low, high]``.

    Parameters
    ----------
    radius : float
        Largest length of the change, > 0.
    low, high : float
        Range of valid values.

    References
    ----------
    Szegedy et al., "Intriguing properties of neural networks", 2014.
    """

    radius: float
    low: float = 0.0
    high: float = 1.0

    tolerance = 1e-5
    """Rounding allowed by :meth:`contains`, relative to the radius."""

    def __post_init__(self) -> None:
        check_radius(self.radius)
        check_bounds(self.low, self.high)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...), in place to the valid range, then shorten its change to the radius.

        The seed is valid and the valid range convex, so the result is inside both; it is the nearest such point
        only where the range does not bind.
        """
        x.clamp_(self.low, self.high).sub_(centre)
        length = torch.linalg.vector_norm(x.flatten(1), dim=1).clamp_min(1e-12)
        x.mul_((self.radius / length).clamp_max(1).view(-1, *[1] * (x.ndim - 1))).add_(centre)
        return x.clamp_(self.low, self.high)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, up to ``tolerance``: bool (N,)."""
        change = (x.double() - centre.double()).flatten(1)
        # Values are rounded to float32: each may be off by half a unit of the last place of one.
        rounding = 2**-24 * change.shape[1] ** 0.5
        near: Tensor = torch.linalg.vector_norm(change, dim=1) <= self.radius * (1 + self.tolerance) + rounding
        return near & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def sample(self, centre: Tensor, streams: Streams, step: int) -> Tensor:
        """Draw uniformly from the ball, then clamp to the valid range."""
        shape = tuple(centre.shape[1:])
        direction = streams.normal(step, 0, shape)
        size = centre[0].numel()
        reach = streams.uniform(step, 1, ()).pow(1 / size).mul(self.radius)
        length = torch.linalg.vector_norm(direction.flatten(1), dim=1).clamp_min(1e-12)
        offset = direction.mul_((reach / length).view(-1, *[1] * len(shape)))
        return self.project(offset.add_(centre), centre)
