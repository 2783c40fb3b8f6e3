"""Where and how strongly a model's units are dropped when it is asked for draws."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["Dropout"]


@dataclass(frozen=True)
class Dropout:
    """Dropout in draws; answers and gradients never have any.

    Parameters
    ----------
    rate : float or None
        Share of units that are dropped, in ``(0, 1)``; None for the network's own rates.
    places : tuple of str, or None
        Layers after which units are dropped, as patterns (``pool*``, ``relu#2`` for its second call), or before which
        (``before:fc``). None for the network's own dropout, or, if it has none, for places that are found: after
        poolings or stages, and before the classifier.
    """

    # Both names are part of a model's identity, which stored campaigns are compared by.
    rate: float | None = None
    places: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.rate is not None and not 0 < self.rate < 1:
            raise InvalidSetting(f"the dropout rate must be in (0, 1), got {self.rate}")
        if self.places is not None and self.rate is None:
            raise InvalidSetting("dropout at chosen places needs a rate")
        if self.places is not None and not self.places:
            raise InvalidSetting("places must name at least one layer, got none")
