"""What can be said of how neurons react; the command's options are these fields."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.core.methods import Reaction

__all__ = ["ReactSettings"]


@dataclass(frozen=True)
class ReactSettings:
    """How reactions are measured.

    Parameters
    ----------
    reaction : str or Reaction
        ``sensitivity``; the others are Shapley values of the change of the loss.
    threshold : float, optional
        A neuron reacts above it: 0.5 for sensitivity, else 0.02 nats.
    pairs : int
        Most pairs of a seed and its smallest error, per method.
    top : int
        How many neurons are the strongest.
    """

    reaction: "str | Reaction" = field(default="sensitivity", metadata={"kind": "reaction"})
    threshold: float | None = None
    pairs: int = 100
    top: int = 20

    def __post_init__(self) -> None:
        for name in ("pairs", "top"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise InvalidSetting(f"threshold must be a finite number, got {self.threshold}")
