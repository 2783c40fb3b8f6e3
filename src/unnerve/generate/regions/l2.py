"""The Euclidean ball: the change as a whole is no longer than a radius."""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from unnerve.core.data.clips import padding_of
from unnerve.core.data.ranges import rounding, span
from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import (
    LEAST,
    broadcast_over,
    check_bounds,
    check_radius,
    of_range,
    stated_within,
    vector_lengths,
)

__all__ = ["L2"]


@dataclass(frozen=True)
class L2:
    """Inputs within Euclidean distance ``radius`` of the seed, and inside ``[low, high]``.

    Parameters
    ----------
    radius : float
        Largest length of the change, > 0, in the units of the data.
    low, high : float
        Range of valid values; in a campaign 0 and 1 stand for the range of the data.
    silence : float or None
        Of sounds, the value with which clips are padded at their end: padding is left alone. A campaign says it.

    References
    ----------
    Szegedy et al., "Intriguing properties of neural networks", 2014.
    """

    radius: float
    low: float = 0.0
    high: float = 1.0
    silence: float | None = field(default=None, metadata={"setting": False})
    small = ("0.1",)

    tolerance = 1e-5
    """Rounding allowed by :meth:`contains`, relative to the radius."""

    def __post_init__(self) -> None:
        check_radius(self.radius)
        check_bounds(self.low, self.high)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...) or (N, P, ...), in place to the valid range, then shorten its change.

        The seed is valid and the valid range convex, so the result is inside both; it is the nearest such point
        only where the range does not bind.
        """
        padding = None if self.silence is None else broadcast_over(padding_of(centre, self.silence), x)
        axes, centre = centre.ndim - 1, broadcast_over(centre, x)
        x.clamp_(self.low, self.high).sub_(centre)
        if padding is not None:
            x.masked_fill_(padding, 0)
        x.mul_((self.radius / vector_lengths(x, axes)).clamp_max_(1)).add_(centre)
        # Rounding in the sum may lead a last bit out of the valid range, which contains() checks without a tolerance.
        return x.clamp_(self.low, self.high)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, up to ``tolerance``: bool (N,)."""
        change = (x.double() - centre.double()).flatten(1)
        # Values are rounded to float32: each may be off by half a unit of the last place of the largest.
        off = 2**-24 * rounding(self.low, self.high) * change.shape[1] ** 0.5
        near: Tensor = torch.linalg.vector_norm(change, dim=1) <= self.radius * (1 + self.tolerance) + off
        if self.silence is not None:
            near &= ((x == centre) | ~padding_of(centre, self.silence)).flatten(1).all(dim=1)
        return near & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points per row uniformly from the ball, then clamp to the valid range: (N, count, ...)."""
        offset = streams.normal(step, 0, (count, *centre.shape[1:]))
        # In double precision: the last bit of a single-precision power depends on the number's place in the vector.
        share = streams.uniform(step, 1, (count,)).double().pow_(1 / centre[0].numel()).float()
        lengths = vector_lengths(offset, centre.ndim - 1)
        offset.mul_(share.view_as(lengths).mul_(self.radius).div_(lengths))
        return self.project(offset.add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        return RegionFacts(
            described=describe(self),
            text=command_text(self),
            phrase="within an L2 distance of {size}" + of_range(self.low, self.high),
            size=self.radius,
            norm="l2",
            value_range=(self.low, self.high),
            reach=self.radius,
            strict=stated_within(0.5 * span(self), self.radius),
            wider=command_text(replace(self, radius=2 * self.radius)),
        )

    @property
    def reach(self) -> float:
        """How far a point may lie from the seed, in the region's norm."""
        return self.radius

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value that each coordinate can take: like ``centre``, shape (N, ...)."""
        return (centre - self.radius).clamp_min_(self.low), (centre + self.radius).clamp_max_(self.high)

    def steepest(self, gradient: Tensor) -> Tensor:
        """Return the step of length one that raises a function with this gradient, shape (N, ...), most."""
        # A gradient is longer where values have a shorter range.
        return gradient / vector_lengths(gradient, gradient.ndim - 1, least=LEAST / span(self))
