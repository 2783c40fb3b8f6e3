"""Inputs that cover most come first (Rothermel et al., TSE 2001; Weiss and Tonella, ISSTA 2022)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unnerve.core.methods import Coverage
from unnerve.measure.coverages.nc import NC

__all__ = ["CoverageTotal"]


@dataclass(frozen=True)
class CoverageTotal:
    """Order inputs by how much each covers by itself.

    Parameters
    ----------
    criterion : Coverage
        What is covered.

    References
    ----------
    Rothermel et al., "Prioritizing Test Cases For Regression Testing", 2001.
    Weiss and Tonella, "Simple Techniques Work Surprisingly Well for Neural Network Test Prioritization", 2022.
    """

    criterion: Coverage = field(default_factory=NC)
    small = ("", "kmnc(7)")

    def values(self, met: Sequence[np.ndarray]) -> np.ndarray:
        """Return one number per input, float64 (N,), the higher the earlier, from the obligations of each."""
        return np.array([len(one) for one in met], np.float64)
