"""Patterns of confidence and uncertainty: low or high PCS, low or high VRO (Zhang et al., "KuK", ICSE 2020)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.option_text import option_text

if TYPE_CHECKING:
    from torch import Tensor  # settings of the command are read without torch

__all__ = ["PATTERNS", "PatternLimits", "Thresholds"]

PATTERNS = ("LL", "LH", "HL", "HH")
"""Confidence first, then uncertainty. Natural inputs are mostly HL, minimal attacks LH: the others are uncommon, and so
are inputs that are LH though the answer is right, or HL though it is wrong."""


@dataclass(frozen=True)
class Thresholds:
    """What counts as high and low.

    Parameters
    ----------
    low_confidence, high_confidence : float
        Of PCS, in [0, 1].
    low_uncertainty, high_uncertainty : float
        Of VRO, in [0, 1].

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software from the Lens of Uncertainty",
    2020 (KuK), section 5.
    """

    low_confidence: float = 0.3
    high_confidence: float = 0.7
    low_uncertainty: float = 0.4
    high_uncertainty: float = 0.6

    def __post_init__(self) -> None:
        for what in ("confidence", "uncertainty"):
            low, high = getattr(self, f"low_{what}"), getattr(self, f"high_{what}")
            if not 0 <= low <= high <= 1:
                raise InvalidSetting(f"thresholds of {what} must be 0 <= low <= high <= 1, got {low} and {high}")

    @classmethod
    def of(cls, given: "str | Thresholds") -> "Thresholds":
        """Read ``0.3,0.7,0.4,0.6``: low and high of PCS, then of VRO."""
        if isinstance(given, cls):
            return given
        try:
            low, high, steady, unsteady = (float(part) for part in str(given).split(","))
        except ValueError:
            rule = "--thresholds must be four numbers, such as 0.3,0.7,0.4,0.6"
            raise InvalidSetting(f"{rule}, got '{given}'") from None
        return cls(low, high, steady, unsteady)

    @property
    def text(self) -> str:
        """The four numbers as on the command line."""
        return str(option_text(tuple(vars(self).values())))

    def patterns(self, pcs: np.ndarray, uncertainty: np.ndarray) -> np.ndarray:
        """Return the pattern of each input, confidence first: ``LL``, ``LH``, ``HL``, ``HH``, or empty between them."""
        first = np.where(pcs > self.high_confidence, "H", np.where(pcs < self.low_confidence, "L", ""))
        second = np.where(
            uncertainty > self.high_uncertainty, "H", np.where(uncertainty < self.low_uncertainty, "L", "")
        )
        # Between low and high is neither: such inputs are of no pattern, and counted so.
        return np.where((first != "") & (second != ""), np.char.add(first, second), "")

    def limits(self, pattern: str) -> "PatternLimits":
        """Return what an input must keep to, to be of one pattern."""
        # First by its letters alone: they say which of two thresholds is the limit.
        known = PatternLimits(pattern)
        return PatternLimits(
            pattern,
            self.high_confidence if known.surer else self.low_confidence,
            self.high_uncertainty if known.unsteady else self.low_uncertainty,
        )


@dataclass(frozen=True)
class PatternLimits:
    """What an input must keep to, to be uncommon in one way.

    Parameters
    ----------
    pattern : str
        ``LL``, ``HH``; ``LH``, of which only inputs count whose answer is right (they look adversarial); ``HL``, of
        which only those count whose answer is wrong (they look benign).
    confidence, uncertainty : float or None
        The limits p of PCS and v of VRO, each in ``(0, 1)``; those of `Thresholds` if None.

    References
    ----------
    Zhang et al., "KuK", 2020, section 4.2 and Table 5.
    """

    pattern: str = "LL"
    confidence: float | None = None
    uncertainty: float | None = None

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise InvalidSetting(f"pattern must be LL, LH, HL or HH, got '{self.pattern}'")
        for name, value in (("confidence", self.confidence), ("uncertainty", self.uncertainty)):
            if value is not None and not 0 < value < 1:
                raise InvalidSetting(f"{name} must be in (0, 1), or no input is {self.pattern}, got {value}")

    @property
    def p(self) -> float:
        """The limit of PCS."""
        if self.confidence is not None:
            return self.confidence
        return Thresholds.high_confidence if self.surer else Thresholds.low_confidence

    @property
    def v(self) -> float:
        """The limit of VRO."""
        if self.uncertainty is not None:
            return self.uncertainty
        return Thresholds.high_uncertainty if self.unsteady else Thresholds.low_uncertainty

    @property
    def surer(self) -> bool:
        """Whether PCS must be above its limit, else below."""
        return self.pattern[0] == "H"

    @property
    def unsteady(self) -> bool:
        """Whether VRO must be above its limit, else below."""
        return self.pattern[1] == "H"

    @property
    def wrong(self) -> bool | None:
        """Whether the answer must be wrong (HL) or right (LH); None where either will do."""
        return {"HL": True, "LH": False}.get(self.pattern)

    def confidence_gap(self, pcs: "Tensor") -> "Tensor":
        """Return how far PCS is on the wanted side of its limit; negative on the other."""
        return pcs - self.p if self.surer else self.p - pcs

    def uncertainty_gap(self, vro: "Tensor") -> "Tensor":
        """Return how far VRO is on the wanted side of its limit; negative on the other."""
        return vro - self.v if self.unsteady else self.v - vro
