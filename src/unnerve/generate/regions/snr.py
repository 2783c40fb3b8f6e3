"""Sounds whose change is quieter than they are, by a signal-to-noise ratio."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.core.data.clips import padding_of
from unnerve.core.data.ranges import rounding
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import broadcast_over, check_bounds, vector_lengths

__all__ = ["SNR"]


@dataclass(frozen=True)
class SNR:
    """Waveforms whose change has at most the power of the clip, less ``decibels``, inside ``[low, high]``.

    What lies behind the end of a clip is left alone.

    Parameters
    ----------
    decibels : float
        Of the clip to its change, in [-20, 120]: at 20 dB the change has a hundredth of the clip's power.
    low, high : float
        Range of valid values; that of waveforms is [-1, 1].

    References
    ----------
    Carlini and Wagner, "Audio Adversarial Examples: Targeted Attacks on Speech-to-Text", 2018 (distortion in dB).
    """

    decibels: float
    low: float = -1.0
    high: float = 1.0
    small = ("20",)

    tolerance = 1e-5
    """Rounding allowed by :meth:`contains`, relative to the length of the change."""

    def __post_init__(self) -> None:
        if not -20 <= self.decibels <= 120:
            raise InvalidSetting(f"decibels must be in [-20, 120], got {self.decibels}")
        check_bounds(self.low, self.high)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, L) or (N, P, L), in place to the valid range, then make its change quieter."""
        axes, longest, held = centre.ndim - 1, self.reach * self.scale(centre), self._held(centre)
        longest, held, centre = (broadcast_over(one, x) for one in (longest, held, centre))
        x.clamp_(self.low, self.high).sub_(centre).masked_fill_(held, 0)
        x.mul_((longest / vector_lengths(x, axes)).clamp_max_(1)).add_(centre)
        return x.clamp_(self.low, self.high)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, up to ``tolerance``: bool (N,)."""
        change, longest = (x.double() - centre.double()).flatten(1), self.reach * self.scale(centre.double()).flatten()
        # Values are rounded to float32: each may be off by half a unit of the last place of the largest.
        off = 2**-24 * rounding(self.low, self.high) * change.shape[1] ** 0.5
        near: Tensor = torch.linalg.vector_norm(change, dim=1) <= longest * (1 + self.tolerance) + off
        near &= ((x == centre) | ~self._held(centre)).flatten(1).all(dim=1)
        return near & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` waveforms per row, white noise at the ratio, clamped to the valid range: (N, count, L)."""
        offset = streams.normal(step, 0, (count, *centre.shape[1:]))
        # Before the length is set: noise behind the end of the clip would have its share of it, and then be lost.
        offset.masked_fill_(self._held(centre).unsqueeze(1), 0)
        offset.mul_((self.reach * self.scale(centre)).unsqueeze(1) / vector_lengths(offset, centre.ndim - 1))
        return self.project(offset.add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        return RegionFacts(
            described=describe(self),
            text=command_text(self),
            phrase=f"with a change at least {self.decibels:g} dB below the clip",
            norm="l2",
            value_range=(self.low, self.high),
            wider=command_text(replace(self, decibels=max(-20.0, self.decibels - 6))),
            decibels=self.decibels,
        )

    @property
    def reach(self) -> float:
        """How long a change may be, as a share of the clip's own length as a vector."""
        return float(10 ** (-self.decibels / 20))

    def scale(self, centre: Tensor) -> Tensor:
        """Return what :attr:`reach` is a share of: the length of each clip as a vector, (N, 1)."""
        return vector_lengths(centre - self._silence, centre.ndim - 1)

    def limits(self, centre: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value that each sample can take: like ``centre``, shape (N, L)."""
        longest = (self.reach * self.scale(centre)).expand_as(centre).masked_fill(self._held(centre), 0)
        return (centre - longest).clamp_min_(self.low), (centre + longest).clamp_max_(self.high)

    def steepest(self, gradient: Tensor) -> Tensor:
        """Return the step of length one that raises a function with this gradient, shape (N, L), most."""
        return gradient / vector_lengths(gradient, gradient.ndim - 1)

    @property
    def _silence(self) -> float:
        return (self.low + self.high) / 2

    def _held(self, centre: Tensor) -> Tensor:
        """Say which samples lie behind the end of their clip."""
        return padding_of(centre, self._silence)
