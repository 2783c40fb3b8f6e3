"""How much each pixel changed, as colours."""

import numpy as np

__all__ = ["heat_map"]

# Dark to bright in steps of about equal lightness, so that it reads in grey and to the colour-blind too.
_STOPS = np.array([[10, 8, 30], [74, 18, 98], [150, 38, 96], [222, 78, 60], [250, 156, 48], [253, 240, 170]]) / 255


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
    places = np.linspace(0, 1, len(_STOPS))
    return np.stack([np.interp(share, places, _STOPS[:, channel]) for channel in range(3)])
