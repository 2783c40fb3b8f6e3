"""What can be said of dropout draws; the command's options are these fields."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from unnerve.core.errors import InvalidSetting

__all__ = ["DropoutSettings"]


@dataclass(frozen=True)
class DropoutSettings:
    """How a model drops out when it is asked for draws.

    Parameters
    ----------
    dropout : str or float, optional
        Share of units dropped in draws, or vro=V: the share at which inputs that are right have this VRO; the
        network's own by default.
    dropout_places : str or sequence of str, optional
        Drop after these layers, or before: pool*,before:fc2; where the network does by default, else after poolings
        or stages and before the classifier.
    draws : int, optional
        Passes under dropout for each input; 50 by default.
    """

    dropout: str | float | None = field(default=None, metadata={"metavar": "RATE"})
    dropout_places: str | Sequence[str] | None = field(default=None, metadata={"metavar": "LAYERS"})
    draws: int | None = None

    def __post_init__(self) -> None:
        if self.dropout is None and self.dropout_places is not None:
            raise InvalidSetting("--dropout-places needs --dropout RATE")
        if self.draws is not None and self.draws < 1:
            raise InvalidSetting(f"draws must be >= 1, got {self.draws}")

    @property
    def count(self) -> int:
        """T, the draws per input."""
        # Not a default of the field: None tells that nothing was said, and a hunt without dropout refuses draws that
        # were.
        return 50 if self.draws is None else self.draws

    @property
    def places(self) -> Sequence[str] | None:
        """The layers, one by one."""
        if not isinstance(self.dropout_places, str):
            return self.dropout_places
        return [place.strip() for place in self.dropout_places.split(",") if place.strip()]

    @property
    def given(self) -> dict[str, object]:
        """What was said at all, by the option's name."""
        said = {"dropout": self.dropout, "dropout-places": self.dropout_places, "draws": self.draws}
        return {name: value for name, value in said.items() if value is not None}
