"""What can be said of a map; the command's options are these fields."""

from dataclasses import dataclass

from unnerve.core.patterns import Thresholds

__all__ = ["MapSettings"]


@dataclass(frozen=True)
class MapSettings:
    """How a map is read.

    Parameters
    ----------
    thresholds : str or Thresholds
        LOW,HIGH of PCS, then LOW,HIGH of VRO: what counts as L and H.
    """

    thresholds: "str | Thresholds" = "0.3,0.7,0.4,0.6"

    def __post_init__(self) -> None:
        self.limits  # noqa: B018 - settings are checked where they belong

    @property
    def limits(self) -> Thresholds:
        """What counts as high and low."""
        return Thresholds.of(self.thresholds)
