"""What natural changes of limited severity make of a seed (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass, field, replace

from torch import Tensor

from unnerve.core.data.conversion import perturbed
from unnerve.core.data.ranges import rounding
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import RegionFacts
from unnerve.core.methods import Perturbation
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.natural import Natural
from unnerve.generate.regions._validity import broadcast_over, check_bounds

__all__ = ["Semantic"]

_SEVERITIES = 5


@dataclass(frozen=True)
class Semantic:
    """Inputs that a natural change makes of the seed: the bounds are on its parameters, not on values.

    A candidate carries the parameters of the change, and lies within ``slack`` of what they make of the seed.

    Parameters
    ----------
    change : Perturbation
        A natural change such as ``rotation``, whose first parameter is its strength; by default any of them.
    severity : float
        The most severe change, in (0, 5].
    slack : float
        How far a value may be off, as a share of the valid range, in [0, 1]: rounding to 8 bits stays within 1/255.
    low, high : float
        Range of valid values; in a campaign 0 and 1 stand for the range of the data.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    change: Perturbation = field(default_factory=Natural)
    severity: float = 5.0
    slack: float = 1 / 255
    low: float = 0.0
    high: float = 1.0
    small = ("rotation,severity=3",)

    tolerance = 1e-6
    """Rounding allowed by :meth:`contains`, relative to the size of the values: 1 for values in [0, 1]."""

    def __post_init__(self) -> None:
        if not 0 < self.severity <= _SEVERITIES:
            raise InvalidSetting(f"severity must be in (0, {_SEVERITIES}], got {self.severity}")
        if not 0 <= self.slack <= 1:
            raise InvalidSetting(f"slack must be in [0, 1], got {self.slack}")
        check_bounds(self.low, self.high)

    def parameters(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters of changes that are severe enough but not more: (N, count, K)."""
        found = self.change.draw(streams, step, count, shape)
        found[..., 0] *= self.severity / _SEVERITIES
        return found

    def origins(self, centre: Tensor, parameters: Tensor) -> Tensor:
        """Return what the change makes of seeds (N, ...) with parameters (N, K): (N, ...)."""
        made = perturbed(self.change, centre, parameters.unsqueeze(1), (self.low, self.high)).squeeze(1)
        return made.clamp_(self.low, self.high)

    def permits(self, parameters: Tensor) -> Tensor:
        """Say which parameters (N, K) lie in [0, 1] and are not too severe: bool (N,)."""
        inside = ((parameters >= 0) & (parameters <= 1)).all(dim=1)
        # What was drawn as a product in float32 may be rounded to just above the limit.
        return inside & (parameters[:, 0] <= self.severity / _SEVERITIES + self.tolerance)

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...) or (N, P, ...), in place to within the slack of the changed seed."""
        centre, reach = broadcast_over(centre, x), self.slack * (self.high - self.low)
        return x.clamp_((centre - reach).clamp_min_(self.low), (centre + reach).clamp_max_(self.high))

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie near ``centre``, the changed seed: bool (N,)."""
        allowed = self.slack * (self.high - self.low) + self.tolerance * rounding(self.low, self.high)
        near = (x - centre).flatten(1).abs().amax(dim=1) <= allowed
        return near & (x.flatten(1).amin(dim=1) >= self.low) & (x.flatten(1).amax(dim=1) <= self.high)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points within the slack of each row of ``centre`` uniformly: (N, count, ...)."""
        reach = self.slack * (self.high - self.low)
        offset = streams.uniform(step, 0, (count, *centre.shape[1:])).mul_(2 * reach).sub_(reach)
        return self.project(offset.add_(centre.unsqueeze(1)), centre)

    def facts(self, shape: tuple[int, ...]) -> RegionFacts:
        """Return what reports say of it, for inputs of this shape."""
        name = str(describe(self.change)["name"]).replace("_", " ")
        phrase = f"after {name} changes up to severity {self.severity:g} of {_SEVERITIES}"
        wider = None if self.severity == _SEVERITIES else replace(self, severity=min(_SEVERITIES, 2 * self.severity))
        return RegionFacts(
            describe(self),
            command_text(self),
            phrase,
            value_range=(self.low, self.high),
            wider=None if wider is None else command_text(wider),
        )
