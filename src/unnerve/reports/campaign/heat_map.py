"""How much each pixel changed, as colours."""

import numpy as np

from unnerve.reports.parts.palette import heat

__all__ = ["heat_map"]


def heat_map(change: np.ndarray, most: float) -> np.ndarray:
    """Return the largest change over the channels of each pixel, from dark (none) to bright (``most`` or beyond).

    Parameters
    ----------
    change : float array of shape (C, H, W)
        Difference of two images; its sign is not shown.
    most : float
        What the brightest colour stands for.

    Returns
    -------
    float array of shape (3, H, W)
        Red, green and blue, from 0 to 1.
    """
    size = np.abs(np.nan_to_num(change)).max(axis=0)
    share = np.clip(size / most, 0, 1) if most > 0 else np.zeros_like(size)
    return heat(share)
