"""Rows of a table: every feature changes by no more than so many of its standard deviations."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt

import torch
from torch import Tensor

from unnerve.core.data.feature_tensors import FeatureTensors
from unnerve.core.data.features import Features
from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import broadcast_over, check_radius

__all__ = ["Spread"]


@dataclass(frozen=True)
class Spread:
    """Rows in which every feature lies within ``radius`` of its standard deviations of the seed, and in its range.

    Methods search in units of the standard deviations, from the least value of each feature. What is judged and stored
    is a row of the table: whole numbers are rounded towards the seed's, and categories and columns in which all values
    are equal are left alone.

    Parameters
    ----------
    radius : float
        > 0.
    features : Features
        The columns, with the ranges and standard deviations that the data show. Unknown until the region is used on a
        table; it then stands for values in [0, 1] with a standard deviation of 1.

    References
    ----------
    Goodfellow et al., "Explaining and Harnessing Adversarial Examples", 2015, for features of one scale.
    """

    radius: float
    features: Features | None = field(default=None, metadata={"setting": False})
    small = ("0.1",)

    tolerance = 1e-5
    """Rounding allowed by :meth:`contains`, in standard deviations; more where float32 cannot tell values apart."""

    def __post_init__(self) -> None:
        check_radius(self.radius)

    @cached_property
    def _columns(self) -> FeatureTensors:
        return FeatureTensors.of(self.features)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, F) or (N, P, F), in place to the nearest point of the region."""
        return x.clamp_(*self.limits(broadcast_over(centre, x)))

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, up to ``tolerance``: bool (N,)."""
        slack, (low, high) = self.tolerance + self._columns.rounding, self.limits(centre)
        return ((x >= low - slack) & (x <= high + slack)).flatten(1).all(dim=1)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points per row uniformly, clamped to the ranges of the features: (N, count, F)."""
        shares = streams.uniform(step, 0, (count, *centre.shape[1:]))
        return self.project(shares.sub_(0.5).mul_(2 * self.radius).add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for rows of this shape."""
        free = int(self._columns.free.expand(shape).sum())
        return RegionFacts(
            described=describe(self),
            text=command_text(self),
            phrase="within ±{size} standard deviations of each feature",
            size=self.radius,
            norm="linf",
            value_range=self.value_range,
            reach=self.radius * sqrt(free),
            wider=command_text(replace(self, radius=2 * self.radius)),
        )

    @property
    def reach(self) -> float:
        """How far a point may lie from the seed, in standard deviations."""
        return self.radius

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value that each feature can take: like ``centre``."""
        free, widths = self._columns.free, self._columns.widths
        low, high = (centre - self.radius).clamp_min_(0), (centre + self.radius).minimum(widths)
        return torch.where(free, low, centre), torch.where(free, high, centre)

    def steepest(self, gradient: Tensor) -> Tensor:
        """Return the step of length one that raises a function with this gradient, shape (N, F), most."""
        return gradient.sign() * self._columns.free

    @property
    def low(self) -> float:
        """The least valid value, in standard deviations."""
        return 0.0

    @property
    def high(self) -> float:
        """The largest valid value of all features, in standard deviations."""
        columns = self._columns
        return float((columns.widths * columns.free).max())

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the largest valid value, in standard deviations."""
        return self.low, self.high

    @property
    def lengths(self) -> Tensor:
        """The standard deviations, float32 (F,); 1 for features that are left alone."""
        return self._columns.lengths.float()

    def measured(self, x: Tensor) -> Tensor:
        """Return rows (N, F) in standard deviations from the least value of each feature."""
        return self._columns.measured(x)

    def unmeasured(self, x: Tensor) -> Tensor:
        """Return rows in standard deviations, (N, F), as the table holds them; whole numbers may not be whole."""
        return self._columns.unmeasured(x).float()

    def settled(self, x: Tensor, centre: Tensor) -> Tensor:
        """Return the rows of the table, (N, F), that rows in standard deviations stand for: towards ``centre``."""
        return self._columns.settled(x, centre)
