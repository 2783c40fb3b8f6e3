"""Improvement over random order (Zhang et al., "NSATP", DSA 2019, IV-C)."""

from typing import TypeVar

import numpy as np

__all__ = ["inc"]

Number = TypeVar("Number", float, np.ndarray)


def inc(random: Number, ranked: Number) -> Number:
    r"""Share of the random order's F-measure that a ranking saves.

    .. math:: \mathrm{Inc} = (R - A) / R

    Parameters
    ----------
    random, ranked : float or array
        F-measures R and A, positive.

    Returns
    -------
    float or array
        At most 1; 0 if there is no difference, negative if the ranking does harm. The papers print it in percent.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    saved: Number = (random - ranked) / random
    return saved
