"""The L0 ball: only a share of the pixels changes, each by any amount."""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.regions._validity import check_bounds

__all__ = ["L0"]

_STRICT = 0.01
"""A smaller share that a verdict is stated for as well."""


@dataclass(frozen=True)
class L0:
    """Inputs that differ from the seed in at most a share of their pixels, and lie inside ``[low, high]``.

    A pixel is a position with all its channels; for inputs without a channel axis, a value.

    Parameters
    ----------
    share : float
        In ``(0, 1]``; at least one pixel may always change.
    low, high : float
        Range of valid values; in a campaign 0 and 1 stand for the range of the data.

    References
    ----------
    Papernot et al., "The Limitations of Deep Learning in Adversarial Settings", 2016.
    """

    share: float
    low: float = 0.0
    high: float = 1.0
    small = ("0.1",)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidSetting(f"share must be in (0, 1], got {self.share}")
        check_bounds(self.low, self.high)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Keep, in place, the pixels that changed most; ``x`` is (N, ...) or (N, P, ...)."""
        if x.ndim > centre.ndim:
            projected = self.project(x.flatten(0, 1), centre.repeat_interleave(x.shape[1], dim=0))
            # Copied back, because flatten returns a copy of points that do not lie in memory one after the other.
            return x.copy_(projected.view_as(x))
        x.clamp_(self.low, self.high)
        change = _by_pixel(x - centre)
        kept = change.topk(self._allowed(x), dim=1).indices
        mask = torch.zeros_like(change, dtype=torch.bool).scatter_(1, kept, True)
        return torch.where(_spread(mask, x), x, centre, out=x)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside, exactly: bool (N,)."""
        few = (_by_pixel(x - centre) > 0).sum(dim=1) <= self._allowed(x)
        return few & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Choose the allowed pixels at random and give them uniform values of the valid range: (N, count, ...)."""
        shape, pixels = (count, *centre.shape[1:]), _by_pixel(centre).shape[1]
        kept = streams.uniform(step, 0, (count, pixels)).topk(self._allowed(centre), dim=2).indices.flatten(0, 1)
        mask = torch.zeros((len(kept), pixels), dtype=torch.bool).scatter_(1, kept, True)
        fresh = streams.uniform(step, 1, shape).mul_(self.high - self.low).add_(self.low)
        spread = _spread(mask, fresh.flatten(0, 1)).view_as(fresh)
        return torch.where(spread, fresh, centre.unsqueeze(1))

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        pixels = max(1, math.prod(shape[1:] if len(shape) > 1 else shape))
        strict = _count(_STRICT, pixels)
        return RegionFacts(
            described=describe(self),
            text=command_text(self),
            phrase="within a change of {percent} of the {unit}s",
            size=self.share,
            norm="l0",
            value_range=(self.low, self.high),
            reach=(self.high - self.low) * math.sqrt(_count(self.share, pixels) * math.prod(shape) / pixels),
            strict=(_STRICT, float(strict)) if strict < self.share * pixels else None,
            wider=command_text(replace(self, share=min(1.0, 2 * self.share))),
        )

    def _allowed(self, x: Tensor) -> int:
        return _count(self.share, _by_pixel(x[:1]).shape[1])


def _count(share: float, pixels: int) -> int:
    # 0.29 of 100 pixels are 29, though the product in floating point falls just short of it.
    return max(1, int(share * pixels + 1e-6))


def _by_pixel(change: Tensor) -> Tensor:
    """Return the largest change of each pixel, shape (N, pixels)."""
    return (change.abs().amax(dim=1) if change.ndim > 2 else change.abs()).flatten(1)


def _spread(mask: Tensor, x: Tensor) -> Tensor:
    """Give a mask of pixels, shape (N, pixels), the shape of ``x``."""
    return mask.view(len(x), 1, *x.shape[2:]).expand_as(x) if x.ndim > 2 else mask.view_as(x)
