"""The L-infinity ball: no value changes by more than a radius."""

import math
from dataclasses import dataclass, field, replace

from torch import Tensor

from unnerve.core.data.clips import padding_of
from unnerve.core.data.ranges import rounding
from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import broadcast_over, check_bounds, check_radius, of_range, stated_within

__all__ = ["Linf"]


@dataclass(frozen=True)
class Linf:
    """Inputs within ``radius`` of the seed in every value, and inside ``[low, high]``.

    Parameters
    ----------
    radius : float
        Largest change of a value, > 0, in the units of the data.
    low, high : float
        Range of valid values; in a campaign 0 and 1 stand for the range of the data.
    silence : float or None
        Of sounds, the value with which clips are padded at their end: padding is left alone. A campaign says it.

    References
    ----------
    Goodfellow et al., "Explaining and Harnessing Adversarial Examples", 2015.
    """

    radius: float
    low: float = 0.0
    high: float = 1.0
    silence: float | None = field(default=None, metadata={"setting": False})
    small = ("0.1",)

    tolerance = 1e-6
    """Rounding allowed by :meth:`contains`, relative to the size of the values: 1 for values in [0, 1]."""

    def __post_init__(self) -> None:
        check_radius(self.radius)
        check_bounds(self.low, self.high)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...) or (N, P, ...), in place to the nearest point of the region."""
        return x.clamp_(*self.limits(broadcast_over(centre, x)))

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, up to ``tolerance``: bool (N,)."""
        allowed = self.radius + self.tolerance * rounding(self.low, self.high)
        near = (x - centre).flatten(1).abs().amax(dim=1) <= allowed
        if self.silence is not None:
            # To the bit: the end of a clip is found by exact silence, so that any other value would make it a longer
            # clip.
            near &= ((x == centre) | ~padding_of(centre, self.silence)).flatten(1).all(dim=1)
        return near & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points per row uniformly from the ball, clamped to the valid range: (N, count, ...)."""
        offset = streams.uniform(step, 0, (count, *centre.shape[1:])).mul_(2 * self.radius).sub_(self.radius)
        return self.project(offset.add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        wider = replace(self, radius=min(self.high - self.low, 2 * self.radius))
        return RegionFacts(
            described=describe(self),
            text=command_text(self),
            phrase="within ±{size} per {unit}" + of_range(self.low, self.high),
            size=self.radius,
            norm="linf",
            value_range=(self.low, self.high),
            reach=self.radius * math.sqrt(math.prod(shape)),
            strict=stated_within(8 / 255 * (self.high - self.low), self.radius),
            wider=command_text(wider),
        )

    @property
    def reach(self) -> float:
        """How far a point may lie from the seed, in the region's norm."""
        return self.radius

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value that each coordinate can take: like ``centre``, shape (N, ...)."""
        low, high = (centre - self.radius).clamp_min_(self.low), (centre + self.radius).clamp_max_(self.high)
        if self.silence is None:
            return low, high
        padding = padding_of(centre, self.silence)
        return low.where(~padding, centre), high.where(~padding, centre)

    def steepest(self, gradient: Tensor) -> Tensor:
        """Return the step of length one that raises a function with this gradient, shape (N, ...), most."""
        return gradient.sign()
