"""Around a transformed seed: DeepHunter's rule of how much an image may change (Xie et al., ISSTA 2019, Eq. 1)."""

from dataclasses import dataclass, field

from torch import Tensor

from unnerve.core.data.conversion import perturbed
from unnerve.core.data.ranges import rounding
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import RegionFacts
from unnerve.core.methods import Perturbation
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.metamorphic import Metamorphic
from unnerve.generate.regions._validity import broadcast_over, check_bounds

__all__ = ["Lineage"]


@dataclass(frozen=True)
class Lineage:
    """Inputs near what a transform made of the seed: few values that change much, or all that change little.

    A candidate carries the parameters of the transform. Measured from the transformed seed, either at most ``few`` of
    the values differ, or none differs by more than ``little`` of the valid range.

    Parameters
    ----------
    transform : Perturbation
        What may be done to the seed first, such as ``affine``; its parameters lie in [0, 1]. By default all that
        DeepHunter does.
    few : float
        Share of the values, in [0, 1] (alpha; 0.02 in the paper).
    little : float
        Share of the valid range, in [0, 1] (beta; 0.2 in the paper).
    low, high : float
        Range of valid values; in a campaign 0 and 1 stand for the range of the data.

    References
    ----------
    Xie et al., "DeepHunter: A Coverage-Guided Fuzz Testing Framework for Deep Neural Networks", 2019.
    """

    transform: Perturbation = field(default_factory=Metamorphic)
    few: float = 0.02
    little: float = 0.2
    low: float = 0.0
    high: float = 1.0
    small = ("affine,little=0.1",)

    tolerance = 1e-6
    """Rounding allowed by :meth:`contains`, relative to the size of the values: 1 for values in [0, 1]."""

    def __post_init__(self) -> None:
        for name in ("few", "little"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidSetting(f"{name} must be in [0, 1], got {getattr(self, name)}")
        check_bounds(self.low, self.high)

    def origins(self, centre: Tensor, parameters: Tensor) -> Tensor:
        """Return what the transform makes of seeds (N, ...) with parameters (N, K): (N, ...)."""
        made = perturbed(self.transform, centre, parameters.unsqueeze(1), (self.low, self.high)).squeeze(1)
        return made.clamp_(self.low, self.high)

    def permits(self, parameters: Tensor) -> Tensor:
        """Say which parameters (N, K) lie in [0, 1]: bool (N,)."""
        return ((parameters >= 0) & (parameters <= 1)).all(dim=1)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...) or (N, P, ...), in place to little changes of the transformed seed."""
        centre, reach = broadcast_over(centre, x), self.little * (self.high - self.low)
        return x.clamp_((centre - reach).clamp_min_(self.low), (centre + reach).clamp_max_(self.high))

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie near ``centre``, the transformed seed: bool (N,)."""
        change = (x - centre).flatten(1).abs()
        off = self.tolerance * rounding(self.low, self.high)
        # Differs: the release compares 8-bit values and lets differences wrap around; here they are plain numbers. It
        # also has < for both rules; but an image that was brought back to the border must lie inside, as in a ball.
        changed = (change > off).sum(dim=1) <= self.few * change.shape[1]
        near = change.amax(dim=1) <= self.little * (self.high - self.low) + off
        return (changed | near) & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` little changes per row of ``centre`` uniformly: (N, count, ...)."""
        reach = self.little * (self.high - self.low)
        offset = streams.uniform(step, 0, (count, *centre.shape[1:])).mul_(2 * reach).sub_(reach)
        return self.project(offset.add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        name = describe(self.transform)["name"]
        phrase = f"after {name} changes, with few values changed or all by at most {self.little:g} of their range"
        return RegionFacts(
            describe(self), command_text(self), phrase, size=self.little, value_range=(self.low, self.high)
        )
